/**
 * The parts of prom-client that are used, each by itself: the whole of it also loads what measures a
 * process and pushes to gateways, and with that OpenTelemetry.
 */
declare module 'prom-client/lib/counter.js' {
  import { Counter } from 'prom-client'
  export default Counter
}
declare module 'prom-client/lib/gauge.js' {
  import { Gauge } from 'prom-client'
  export default Gauge
}
declare module 'prom-client/lib/registry.js' {
  import { Registry } from 'prom-client'
  export default Registry
}
