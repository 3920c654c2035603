/** Where the files of snapshots are kept, outside of this process. jetstream/object-bucket.ts is one. */
export interface SnapshotObjects {
  /** Stores an object under a new name; resolves when it survives a power cut. */
  put(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>
  /** Its bytes. Throws ObjectDamaged where they are not, or not all, what was stored. */
  get(name: string): AsyncIterable<Uint8Array>
  delete(name: string): Promise<void>
  names(): Promise<string[]>
}
