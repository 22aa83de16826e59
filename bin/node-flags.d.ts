/** What Node is to be started with; it has to be there when the process begins. */
export const NODE_FLAGS: readonly string[]
