import { spawn } from 'node:child_process'

export type Leash = {
  hold(pid: number, signal: NodeJS.Signals): void
  release(pid: number): void
  /** Ends the leash itself; what it still holds is ended with it. */
  close(): void
}

/**
 * A shell that ends the held processes when this one dies, `kill -9` included: it sees the end
 * of its standard input, which no process can survive keeping open. First by the signal each
 * stops on, then, after five seconds, for good.
 */
const script = `
held=
while read -r what pid signal; do
  case $what in
    +) held="$held $pid:$signal" ;;
    -) next=; for entry in $held; do [ "\${entry%%:*}" = "$pid" ] || next="$next $entry"; done; held=$next ;;
  esac
done
[ -n "$held" ] || exit 0
for entry in $held; do kill -s "\${entry#*:}" "\${entry%%:*}" 2>/dev/null; done
for turn in 1 2 3 4 5 6 7 8 9 10; do
  alive=
  for entry in $held; do kill -0 "\${entry%%:*}" 2>/dev/null && alive=1; done
  [ -n "$alive" ] || break
  sleep 0.5
done
for entry in $held; do kill -KILL "-\${entry%%:*}" 2>/dev/null; done
`

export function createLeash(): Leash {
  const shell = spawn('/bin/sh', ['-c', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C goes to the terminal's whole group: the leash must outlive it.
    detached: true,
    cwd: '/',
  })
  // It may be killed by hand; then only the sweep of the next start is left.
  shell.on('error', () => undefined)
  shell.stdin.on('error', () => undefined)
  shell.unref()

  return {
    hold: (pid, signal) => shell.stdin.write(`+ ${pid} ${signal.replace(/^SIG/, '')}\n`),
    release: (pid) => shell.stdin.write(`- ${pid}\n`),
    close: () => shell.stdin.end(),
  }
}
