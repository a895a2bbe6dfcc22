/** Has the browser save a text that the page already holds. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // A slow disk may read the blob for a while.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
