import { notice } from '../feed/notice.ts'

/** Says why figures read as they do where nothing is wrong with the line, as amounts of 0 without a price. */
export function NoticeLine() {
  if (notice.value === null) return null
  return (
    <p class="notice-line" role="status">
      {notice}
    </p>
  )
}
