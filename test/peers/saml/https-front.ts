import { generateKeyPairSync } from 'node:crypto'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { makeCertificate } from '../../../gateways/saml/make-certificate.ts'

export type HttpsFront = { origin: string; close(): Promise<void> }

/** Addresses of identity providers must be https, so a provider that serves http gets this proxy. */
export async function httpsFront(port: number, backPort: number): Promise<HttpsFront> {
  const { key, certificate } = newCertificate('127.0.0.1')
  const server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
    const headers = {
      ...incoming.headers,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': incoming.headers.host ?? '',
      'x-forwarded-port': String(port),
    }
    const { method, url: path } = incoming
    const back = request({ host: '127.0.0.1', port: backPort, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    back.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(back)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    origin: `https://127.0.0.1:${port}`,
    close: async () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function newCertificate(commonName: string): { key: string; certificate: string } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const notBefore = new Date(Date.now() - 3_600_000)
  const notAfter = new Date(Date.now() + 365 * 24 * 3_600_000)
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: makeCertificate({ commonName, privateKey, notBefore, notAfter }),
  }
}
