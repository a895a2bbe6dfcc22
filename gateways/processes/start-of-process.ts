import { readFile } from 'node:fs/promises'

/**
 * When a process began, in clock ticks since its machine did. Names a process together with its number, which the
 * system gives to another one later: in a container each start of the service has the same. Empty for one that does
 * not run, and where there is no /proc.
 */
export async function startOfProcess(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // Field 22, counted behind the name, which may have spaces in it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
