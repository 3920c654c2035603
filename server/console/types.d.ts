/** The address of the sprite of icons. The build sets it (deploy/build-console.mjs). */
declare const ICONS: string

declare module '*.css'

declare module '*.json?late' {
  const texts: Readonly<Record<string, string>>
  export default texts
}

/** Of browsers with V8; others ignore it. */
interface ErrorConstructor {
  stackTraceLimit: number
}
