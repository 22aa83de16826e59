/** Two tones, so short that they disturb no call. */
const TONES_HZ = [880, 1_320] as const
const TONE_SECONDS = 0.09
const LOUDNESS = 0.12

let context: AudioContext | null = null

/** Called in the click that switches alerts on: a browser makes no sound for a page that nobody touched. */
export function allowSound(): void {
  context ??= typeof AudioContext === 'undefined' ? null : new AudioContext()
  void context?.resume()
}

export function playAlert(): void {
  if (context === null) return
  for (const [at, hertz] of TONES_HZ.entries()) {
    const start = context.currentTime + at * TONE_SECONDS
    const end = start + TONE_SECONDS
    const tone = new OscillatorNode(context, { frequency: hertz })
    const loudness = new GainNode(context, { gain: LOUDNESS })
    // Cut off at full loudness it would crack.
    loudness.gain.setValueAtTime(LOUDNESS, start)
    loudness.gain.linearRampToValueAtTime(0, end)
    tone.connect(loudness).connect(context.destination)
    tone.start(start)
    tone.stop(end)
  }
}
