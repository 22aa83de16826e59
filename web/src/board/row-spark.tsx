import { sparkFeed } from '../feed/spark-feed.ts'
import { Spark } from '../parts/spark.tsx'

/** The recent price of a row's token; it is followed while the row is seen. */
export function RowSpark({ mint }: { readonly mint: string }) {
  const closes = sparkFeed.closesOf(mint).value
  return <Spark values={closes} label="Recent price" />
}
