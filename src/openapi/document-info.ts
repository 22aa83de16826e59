/** What both documents say of the API. */
export const INFO = { title: 'mintfeed', version: '2' }
