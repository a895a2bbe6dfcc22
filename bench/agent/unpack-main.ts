import { unpackArchive } from '../../agent/archive/unpack-archive.ts'

/**
 * Unpacks an archive in a process of its own, as the agent does, and prints how many milliseconds that took. In a
 * process that has read large files before, V8 collects its whole heap over and over.
 */
const [archive = '', folder = ''] = process.argv.slice(2)
const since = performance.now()
await unpackArchive(archive, folder, { signal: new AbortController().signal })
console.log(performance.now() - since)
