/**
 * Variables by which Google's client of storage, with which OpenTofu fetches modules of `gcs::`, starts the
 * program that a file names (enterprise certificate proxy).
 */
export const certificateVariables = {
  GOOGLE_API_USE_CLIENT_CERTIFICATE: 'true',
  GOOGLE_API_CERTIFICATE_CONFIG: 'c.json',
  GOOGLE_OAUTH_ACCESS_TOKEN: 'x',
}

/** A configuration whose `init` runs the command, if it is given those variables. */
export const withCertificateCommand = (command: string): Record<string, string> => ({
  'main.tf':
    'module "m" {\n  source = "gcs::https://www.googleapis.com/storage/v1/bucket/module"\n}\n',
  // The program is started with this file as its argument, and a shell expands what stands in quotes.
  'c.json': JSON.stringify({
    libs: { ecp: '/bin/sh' },
    run: `$(${command})`,
  }),
})
