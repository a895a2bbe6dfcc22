/** The files of a version in its audit entry. All names of 1,000 files, in a page of 200 entries, would be 50 MB. */
export const auditedNames = (fileNames: readonly string[]) => ({
  fileNames: fileNames.slice(0, 40),
  fileCount: fileNames.length,
})
