import type { MessageWriter } from '../../src/stream/stream-message.ts'

/** The log of a sequencer without NATS: what is committed at once ends a message, or does what `committed` says. */
export function messageLog(writer: MessageWriter, seq = 0, committed = () => writer.end()) {
  return {
    seq,
    failure: null,
    begin: () => writer,
    commit(endSeq: number) {
      this.seq = endSeq
      committed()
    },
    keepSyncing() {},
  }
}
