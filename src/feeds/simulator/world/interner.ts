/** What the simulator needs of the address book: dense ids for the addresses it invents. */
export interface Interner {
  token(mint: string): number
  wallet(address: string): number
  address(text: string): number
}
