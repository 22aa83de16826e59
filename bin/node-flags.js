/**
 * What Node is to be started with; it has to be there when the process begins. V8 works on four threads beside
 * the loop, which on few cores keep the journal's syncs waiting for one, and the loop too. Of its work there is
 * little here and none of it is urgent: one thread is enough (docs/decisions/0019-one-thread-for-v8.md).
 */
export const NODE_FLAGS = ['--v8-pool-size=1']
