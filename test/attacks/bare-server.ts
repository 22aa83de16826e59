/** The floor: uWebSockets.js alone, whose close handler does nothing. Arguments: port, `topics` or `none`. */
import { App } from 'uWebSockets.js'

const [, , port, kind] = process.argv

App()
  .ws('/*', {
    idleTimeout: 80,
    sendPingsAutomatically: false,
    message: (socket, message) => {
      const { data } = JSON.parse(Buffer.from(message).toString())
      if (kind === 'topics') for (const mint of data.mints) socket.subscribe(`m/${mint}`)
      socket.send('{"type":"subscribed"}')
    },
    close: () => {},
  })
  .listen('127.0.0.1', Number(port), () => {
    process.stderr.write('"msg":"ready"\n')
  })
