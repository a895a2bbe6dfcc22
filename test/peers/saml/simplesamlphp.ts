import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from '../../harness/create-harness.ts'
import { awaitAnswer } from './await-answer.ts'
import { httpsFront, newCertificate } from './https-front.ts'

const home = '/usr/share/simplesamlphp'

/** Debian's package. As root it is installed here; else whoever runs this is told what to install. */
export function hasSimplesamlphp(): boolean {
  const there = () => existsSync(home) && runs('php', ['-v'])
  const packages = ['php-cli', 'php-xml', 'simplesamlphp']
  if (!there() && process.getuid?.() === 0 && runs('apt-get', ['--version']))
    runs('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages])
  if (there()) return true
  console.log(`skipped: install ${packages.join(' ')} (Debian)`)
  return false
}

function runs(program: string, args: string[]): boolean {
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    execFileSync(program, args, { stdio: 'ignore', env })
    return true
  } catch {
    return false
  }
}

export type Simplesamlphp = {
  /** Its own descriptor, as its administrator would hand it out. */
  metadata(): Promise<string>
  /** Lets in a service provider by the metadata that it publishes. */
  trust(metadata: string): void
  /** From now on it signs with another key. */
  changeKey(): void
  url(path: string): string
  close(): Promise<void>
}

/** A second service provider, which has nowhere to be signed out. */
export const mutedParty = 'https://muted.example/metadata'

/** SimpleSAMLphp as identity provider, with one person: ada, pw-ada. */
export async function startSimplesamlphp(): Promise<Simplesamlphp> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-simplesamlphp-'))
  for (const name of ['config', 'metadata', 'cert', 'data', 'log', 'tmp', 'docroot'])
    mkdirSync(join(folder, name))
  symlinkSync(`${home}/www`, join(folder, 'docroot/simplesaml'))
  const port = await freePort()
  const backPort = await freePort()
  const front = await httpsFront(port, backPort)
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
  const changeKey = () => {
    const { key, certificate } = newCertificate('simplesamlphp')
    write('cert/server.pem', key)
    write('cert/server.crt', certificate)
  }
  changeKey()
  for (const [path, text] of Object.entries(configuration(folder, front.origin))) write(path, text)

  const php = spawn('php', ['-S', `127.0.0.1:${backPort}`, '-t', join(folder, 'docroot')], {
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: join(folder, 'config') },
    stdio: 'ignore',
  })
  const url = (path: string) => `${front.origin}/simplesaml/${path}`
  const back = `http://127.0.0.1:${backPort}/simplesaml/saml2/idp/metadata.php`
  await awaitAnswer(back, 30_000)
  return {
    metadata: async () => (await fetch(back)).text(),
    trust: (metadata) => write('metadata/sp.xml', metadata),
    changeKey,
    url,
    async close() {
      php.kill()
      await front.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'

function configuration(folder: string, origin: string): Record<string, string> {
  return {
    'config/config.php': `<?php
$config = [
  'baseurlpath' => '${origin}/simplesaml/',
  'certdir' => '${folder}/cert/', 'loggingdir' => '${folder}/log/', 'datadir' => '${folder}/data/',
  'tempdir' => '${folder}/tmp', 'metadatadir' => '${folder}/metadata/',
  'secretsalt' => 'salt-of-a-test', 'auth.adminpassword' => 'admin-of-a-test',
  'technicalcontact_email' => 'na@example.org', 'timezone' => 'UTC',
  'enable.saml20-idp' => true,
  'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
  'store.type' => 'phpsession', 'session.phpsession.savepath' => '${folder}/tmp',
  'session.cookie.secure' => false, 'logging.handler' => 'file',
  'metadata.sources' => array_merge([['type' => 'flatfile']],
    file_exists('${folder}/metadata/sp.xml') ? [['type' => 'xml', 'file' => '${folder}/metadata/sp.xml']] : []),
  'trusted.url.domains' => [],
];
`,
    'config/authsources.php': `<?php
$config = ['example-userpass' => ['exampleauth:UserPass',
  'ada:pw-ada' => ['uid' => ['ada'], 'email' => ['ada@acme.test'], 'groups' => ['platform-sre', 'all']]]];
`,
    'metadata/saml20-idp-hosted.php': `<?php
$metadata['${origin}/idp'] = [
  'host' => '__DEFAULT__', 'privatekey' => 'server.pem', 'certificate' => 'server.crt',
  'auth' => 'example-userpass', 'signature.algorithm' => '${rsaSha256}',
  'saml20.sign.response' => true, 'saml20.sign.assertion' => true,
  'sign.logout' => true, 'redirect.sign' => true, 'redirect.validate' => true, 'validate.logout' => true,
  'SingleLogoutServiceBinding' => [
    'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'],
  'authproc' => [3 => ['class' => 'saml:AttributeNameID', 'attribute' => 'email', 'Format' => '${emailFormat}']],
];
`,
    'metadata/saml20-sp-remote.php': `<?php
$metadata['${mutedParty}'] = [
  'AssertionConsumerService' => 'https://muted.example/acs',
  'validate.authnrequest' => false, 'redirect.validate' => false,
];
`,
  }
}
