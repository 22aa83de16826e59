import type { Closing, Socket } from '../../client/src/options.ts'

/** A socket that opens when a test says so, and until then takes nothing, as that of browsers. */
export class LateSocket implements Socket {
  readonly sent: string[] = []
  isClosed = false
  breakOff: (closing?: Closing) => void = () => {}
  fail: () => void = () => {}
  #isOpen = false
  #onOpen: () => void = () => {}
  #onMessage: (event: { readonly data: unknown }) => void = () => {}

  addEventListener(type: 'open' | 'error', listener: () => void): void
  addEventListener(type: 'close', listener: (event?: Closing) => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(
    type: string,
    listener: (() => void) | ((event: { readonly data: unknown }) => void),
  ): void {
    if (type === 'open') this.#onOpen = () => listener({ data: null })
    if (type === 'message') this.#onMessage = listener
    if (type === 'error') this.fail = () => listener({ data: null })
    if (type === 'close') this.breakOff = (closing) => listener({ data: null, ...closing })
  }

  open(): void {
    this.#isOpen = true
    this.#onOpen()
  }

  say(data: string): void {
    this.#onMessage({ data })
  }

  send(text: string): void {
    if (!this.#isOpen) throw new Error('still connecting')
    this.sent.push(text)
  }

  close(): void {
    this.isClosed = true
  }
}
