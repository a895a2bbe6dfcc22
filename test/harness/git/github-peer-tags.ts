type Call = (method: string, path: string, body?: unknown) => Promise<{ object: { sha: string } }>

/** Tags the head of `main`, also where the tag was at another commit. */
export async function tagMain(call: Call, name: string, tag: string): Promise<void> {
  const { object } = await call('GET', `/repos/${name}/git/ref/heads/main`)
  // The emulator answers 404 where there is no such tag yet.
  await call('DELETE', `/repos/${name}/git/refs/tags/${tag}`).catch(() => undefined)
  await call('POST', `/repos/${name}/git/refs`, { ref: `refs/tags/${tag}`, sha: object.sha })
}
