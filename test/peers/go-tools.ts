import { findGo } from '../../engines/find-go.ts'
import { engineCacheDir } from '../../engines/resolve-binary.ts'
import { installedPeer } from './installed-peer.ts'

/** The folder of the program of this package (`example.com/program@v1.2.3`), built from the Go module proxy. */
export async function goTools(name: string, goPackage: string): Promise<string> {
  const go = await findGo({
    cacheDir: engineCacheDir(process.env['CC_CACHE_DIR']),
    say: (line) => console.log(line),
  })
  return installedPeer(name, [goPackage], (made) => [
    {
      // The build gives way to the tests beside it.
      program: 'nice',
      args: [
        '-n',
        '10',
        go,
        'install',
        '-ldflags',
        '-s -w',
        '-gcflags=all=-dwarf=false',
        goPackage,
      ],
      env: { GOBIN: made, GOTOOLCHAIN: 'local', GOWORK: 'off', CGO_ENABLED: '0' },
    },
  ])
}
