/** Files that Vite serves under a hashed name. */
declare module '*.svg' {
  const address: string
  export default address
}
