import { spawn } from 'node:child_process'

export type Leash = {
  hold(pid: number, signal: NodeJS.Signals): void
  release(pid: number): void
  /** Ends the leash and the processes that it still holds. */
  close(): void
}

/**
 * A shell that ends the held processes when this process dies, also by `kill -9`: the kernel then
 * closes the pipe to the shell's standard input. The shell sends each process its stop signal, and
 * SIGKILL to its process group after at most five seconds.
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
    // In its own process group: Ctrl-C signals the terminal's whole group, and the leash must survive it.
    detached: true,
    cwd: '/',
  })
  // If somebody kills the shell, the next start ends the leftover processes (pid-file.ts).
  shell.on('error', () => undefined)
  shell.stdin.on('error', () => undefined)
  shell.unref()

  return {
    hold: (pid, signal) => shell.stdin.write(`+ ${pid} ${signal.replace(/^SIG/, '')}\n`),
    release: (pid) => shell.stdin.write(`- ${pid}\n`),
    close: () => shell.stdin.end(),
  }
}
