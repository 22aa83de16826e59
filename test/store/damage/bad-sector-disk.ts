import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { systemError } from '../disks/crash-disk.ts'
import { ImageDisk, ImageFile } from './image-disk.ts'

/** A disk of which one byte of one file cannot be read any more. */
export class BadSectorDisk extends ImageDisk {
  readonly #path: string
  readonly #byte: number
  readonly #code: string

  constructor(whole: ImageDisk, path: string, byte: number, code = 'EIO') {
    super(whole)
    this.#path = path
    this.#byte = byte
    this.#code = code
  }

  override open(path: string): DiskFile {
    if (path !== this.#path) return super.open(path)
    this.bytesOf(path)
    return new BadFile(this.files, path, this.#byte, this.#code)
  }
}

class BadFile extends ImageFile {
  readonly #byte: number
  readonly #code: string

  constructor(files: Map<string, Uint8Array>, path: string, byte: number, code: string) {
    super(files, path)
    this.#byte = byte
    this.#code = code
  }

  override read(into: Uint8Array, position: number): number {
    if (position <= this.#byte && this.#byte < position + into.length)
      throw systemError(this.#code, 'read')
    return super.read(into, position)
  }
}
