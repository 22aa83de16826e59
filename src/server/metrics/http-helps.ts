/** What the figures of sockets and answers mean, in one sentence each, by their names. */
export const HTTP_HELPS: Readonly<Record<string, string>> = {
  sockets: 'Sockets that are open, live ones among them.',
  sockets_refused_total: 'Sockets closed at once because all SOCKETS were taken.',
  sockets_refused_by_address_total: 'Sockets closed at once because their address opened too many.',
  http_defects_total: 'Requests that met a fault of the program.',
  http_unfinished_answers: 'Answers that the kernel has not taken whole yet.',
  http_unread_answers_total: 'Answers whose client left before it had read them.',
  answer_cache_hits_total: 'Answers that were kept from an equal request.',
  answer_cache_misses_total: 'Answers that were made anew.',
  answer_cache_bytes: 'Size of the answers that are kept.',
  turn_waiting: 'Requests and messages that wait for a later turn of the loop.',
  turn_deferred_total: 'Requests and messages that had to wait for a later turn of the loop.',
}
