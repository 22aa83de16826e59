import type { ProgramName } from '../layouts/programs.ts'

/** Forms that are remembered; past it no more are reported, and counters alone say that there are some. */
const FORMS_MAX = 256
const DISCRIMINATOR_BYTES = 8

/**
 * Tells once of each event form that no layout knows: the platform has changed, and somebody should look
 * which. What comes again is only counted.
 */
export class NewForms {
  readonly #say: (sentence: string) => void
  readonly #reported = new Set<string>()

  constructor(say: (sentence: string) => void) {
    this.#say = say
  }

  /** An event whose discriminator is in no layout; `bytes` with the discriminator. */
  event(program: ProgramName, bytes: Uint8Array): void {
    const discriminator = discriminatorOf(bytes)
    this.#report(
      `${program} ${discriminator}`,
      `The program ${program} emits an event that this version does not know (discriminator ` +
        `${discriminator || 'none'}, ${bytes.length} bytes): it is left out and counted as unknown; ` +
        'look for a newer version.',
    )
  }

  /** A known event that has grown; `bytes` with the discriminator. */
  tail(program: ProgramName, name: string, bytes: Uint8Array, tailBytes: number): void {
    const discriminator = discriminatorOf(bytes)
    this.#report(
      `${program} ${discriminator} ${tailBytes}`,
      `The event ${name} of the program ${program} (discriminator ${discriminator}, ${bytes.length} bytes) ` +
        `has ${tailBytes} bytes that this version does not know: they are ignored and counted as an ` +
        'unknown tail; look for a newer version.',
    )
  }

  #report(form: string, sentence: string): void {
    if (this.#reported.has(form) || this.#reported.size >= FORMS_MAX) return
    this.#reported.add(form)
    this.#say(sentence)
  }
}

function discriminatorOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, DISCRIMINATOR_BYTES)).toString('hex')
}
