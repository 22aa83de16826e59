/**
 * Bytes: more than the kernel takes for a socket that nobody reads. How much that is it decides on
 * the way, up to 4 MiB where they are sent and 32 where they are read.
 */
export const PAST_THE_KERNEL_BYTES = 48 * 2 ** 20
