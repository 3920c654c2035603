/**
 * What runs in the page to take times: on the page's own clock, from the browser's time of the key to the frame that
 * shows what was waited for.
 */

/** Put into each page before its own scripts. */
export const probe = `(() => {
  const painted = (done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => done(performance.now())
    port2.postMessage(null)
  })
  const probe = { keys: [], shown: {}, rowsMax: 0, waiting: null }
  window.probe = probe
  addEventListener('keydown', (event) => {
    const began = event.timeStamp
    const { waiting } = probe
    painted((now) => probe.keys.push(now - began))
    if (waiting === null) return
    probe.waiting = null
    const look = () => painted((now) => (waiting.isThere() ? waiting.done(now - began) : look()))
    look()
  }, true)
  const watched = { events: '.list-row', next: '.card .answer-bar button', frame: '.foot' }
  const look = () => {
    for (const [name, place] of Object.entries(watched))
      if (probe.shown[name] === undefined && document.querySelector(place) !== null)
        painted((now) => (probe.shown[name] ??= now))
    probe.rowsMax = Math.max(probe.rowsMax, document.querySelectorAll('.list-row').length)
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
  const first = () => document.querySelector('.list-row[data-at="0"], .events .empty')
  /** Milliseconds from the next key until the first row is another one. */
  probe.nextRows = () => {
    const before = first()
    const text = before?.textContent
    return new Promise((done) => {
      probe.waiting = { done, isThere: () => first() !== null && first().textContent !== text }
    })
  }
})()`

/** Bytes of scripts and styles as they came over the wire, and how many there were. */
export const loadedBytes = `(() => {
  const sums = { js: 0, css: 0, files: 0 }
  for (const { name, encodedBodySize } of performance.getEntriesByType('resource')) {
    const kind = /\\.(js|css)$/.exec(new URL(name).pathname)?.[1]
    if (kind === undefined) continue
    sums[kind] += encodedBodySize
    sums.files++
  }
  return sums
})()`
