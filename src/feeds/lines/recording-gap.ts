/** Events this far before the newest are another recording; closer ones are only out of order. */
export const RECORDING_GAP_SECONDS = 60
