/** What uWebSockets.js has and its types do not tell. */
declare module 'uWebSockets.js' {
  /** With 'silent' answers do not carry the name and version of the library. */
  export function _cfg(key: string): void

  interface TemplatedApp {
    /** Names this app for another one. */
    getDescriptor(): AppDescriptor
    /** From now on accepted sockets go to this app. */
    addChildAppDescriptor(descriptor: AppDescriptor): TemplatedApp
    /** Accepted sockets go there no more. */
    removeChildAppDescriptor(descriptor: AppDescriptor): TemplatedApp
  }

  /** Only ever handed from one app to the other. */
  interface AppDescriptor {
    readonly kind: 'app descriptor'
  }
}

export {}
