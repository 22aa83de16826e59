/** Digits in a request that the driver replaces by a number never sent before. */
export const SERIAL_MARK = '00000000'

interface Template {
  readonly bytes: Buffer
  /** Where the digits stand, −1 when there are none. */
  readonly serialAt: number
}

/** The requests to send, over and over; those with a serial number never come twice. */
export class RequestSource {
  readonly #templates: readonly Template[]
  readonly #repeated: Buffer[] = []
  #sent = 0

  constructor(requests: readonly string[]) {
    this.#templates = requests.map((text) => {
      const bytes = Buffer.from(text)
      return { bytes, serialAt: bytes.indexOf(SERIAL_MARK) }
    })
  }

  /** The next requests, in one buffer. */
  next(count: number): Buffer {
    if (this.#templates.length === 1 && this.#templates[0].serialAt < 0) return this.#same(count)
    return count === 1
      ? this.#one()
      : Buffer.concat(Array.from({ length: count }, () => this.#one()))
  }

  #same(count: number): Buffer {
    const { bytes } = this.#templates[0]
    this.#repeated[count] ??= Buffer.concat(Array.from({ length: count }, () => bytes))
    return this.#repeated[count]
  }

  #one(): Buffer {
    const { bytes, serialAt } = this.#templates[this.#sent % this.#templates.length]
    this.#sent++
    if (serialAt < 0) return bytes
    const copy = Buffer.from(bytes)
    copy.write(String(this.#sent).padStart(SERIAL_MARK.length, '0'), serialAt, 'latin1')
    return copy
  }
}
