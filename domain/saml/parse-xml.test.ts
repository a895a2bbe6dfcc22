import { describe, expect, test } from 'vitest'
import { decodeBase64 } from './decode-base64.ts'
import { decodeXml, parseXml } from './parse-xml.ts'
import { SamlRefusal } from './saml-refusal.ts'

const reasonOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof SamlRefusal) return error.reason
    throw error
  }
  return 'taken'
}

describe('parseXml', () => {
  test('takes a declaration, comments, CDATA and > in attributes', () => {
    const root = parseXml(
      `<?xml version="1.0" encoding="UTF-8"?>\n<!-- c --><a b="1 > 0" c='"'><![CDATA[<x>]]><d/>é</a>`,
    )
    expect(root.getAttribute('b')).toBe('1 > 0')
    expect(root.textContent).toBe('<x>é')
  })

  test.each([
    ['xml_doctype', '<!DOCTYPE a><a/>'],
    ['xml_doctype', '<!doctype a [<!ENTITY e "x">]><a>&e;</a>'],
    ['xml_doctype', '<a><!ENTITY e SYSTEM "file:///etc/passwd"></a>'],
    ['xml_processing_instruction', '<a><?php 1 ?></a>'],
    ['xml_processing_instruction', ' <?xml version="1.0"?><a/>'],
    ['xml_encoding', '<?xml version="1.0" encoding="UTF-7"?><a/>'],
    ['xml_encoding', '<?xml version="1.0" encoding="US-ASCII"?><a>\u00fc</a>'],
    ['xml_malformed', '<a><x:b/></a>'],
    ['xml_malformed', '<a x:b="c"/>'],
    ['xml_malformed', '<a xmlns:x="urn:x "/>'],
    ['xml_malformed', '<a xmlns="{}"/>'],
    ['xml_malformed', '<a xmlNs:x="urn:x"/>'],
    ['xml_malformed', '<a>&#0;</a>'],
    ['xml_malformed', '<a b="&#x1F;"/>'],
    ['xml_malformed', '<a>&#xd800;</a>'],
    ['xml_malformed', '<a>&#65535;</a>'],
    ['xml_malformed', '<a>&#x110000;</a>'],
    ['xml_malformed', '<a>&e;</a>'],
    ['xml_malformed', '<a><b></a></b>'],
    ['xml_malformed', '<a><b></a>'],
    ['xml_malformed', '<a><b/>'],
    ['xml_malformed', '<a'],
    ['xml_malformed', '<a b="'],
    ['xml_malformed', '<a/><b/>'],
    ['xml_malformed', '<a b="1" b="2"/>'],
    ['xml_malformed', '<a b=1/>'],
    ['xml_malformed', '</a>'],
    ['xml_malformed', '<!-- -'],
    ['xml_malformed', ''],
    ['xml_malformed', 'text'],
    ['xml_malformed', '<a/>x'],
    ['xml_malformed', 'x<a/>'],
    ['xml_malformed', '<?xml version="1.0"?>x<a/>'],
    ['xml_malformed', '<a/><![CDATA[x]]>'],
    ['xml_malformed', '<a/><!-- c -->x'],
    ['xml_version', '<?xml version="1.1"?><a/>'],
    ['xml_version', '<?xml encoding="UTF-8"?><a/>'],
    ['xml_malformed', '<a>\u0000</a>'],
    ['xml_too_deep', '<a>'.repeat(65) + '</a>'.repeat(65)],
    ['xml_too_many_elements', `<a>${'<b/>'.repeat(20_000)}</a>`],
    [
      'xml_too_many_attributes',
      `<a ${Array.from({ length: 65 }, (_, i) => `a${i}=""`).join(' ')}/>`,
    ],
  ])('%s', (reason, text) => {
    expect(reasonOf(() => parseXml(text))).toBe(reason)
  })

  test('takes line ends of XML 1.0 alone, and blanks around the root', () => {
    const root = parseXml('\n<a>1\r\n2\r3\u00854\u20285</a>\r\n \t')
    expect(root.textContent).toBe('1\n2\n3\u00854\u20285')
  })

  test('a body as large as is taken costs little, whatever shape it has', () => {
    const size = 512 * 1024
    const shapes = ['<', '<a "', '<!--', '<![CDATA[', '&', '<a>', '<a b="" ', '<a \'"']
    for (const shape of shapes) {
      const text = shape.repeat(size / shape.length)
      const from = performance.now()
      expect(
        reasonOf(() => parseXml(text)),
        shape,
      ).not.toBe('taken')
      expect(performance.now() - from, shape).toBeLessThan(1_000)
    }
  })

  test('refuses octets that are no UTF-8', () => {
    expect(reasonOf(() => decodeXml(Buffer.from([0x3c, 0xff])))).toBe('xml_not_utf8')
    expect(reasonOf(() => decodeXml(Buffer.from('<a/>', 'utf16le')))).toBe('taken')
    expect(reasonOf(() => parseXml(decodeXml(Buffer.from('<a/>', 'utf16le'))))).toBe(
      'xml_malformed',
    )
  })
})

describe('decodeBase64', () => {
  test('takes line breaks', () => {
    expect(decodeBase64('aGVs\r\nbG8=\n').toString()).toBe('hello')
  })

  test.each([
    '',
    'aGVs bG8=',
    'aGVsbG8',
    'aGVsbG8=!',
    'aGVs=bG8',
    'aGVsbG8_',
    'aGVsbG8=\t',
    '====',
  ])('refuses %j', (text) => {
    expect(reasonOf(() => decodeBase64(text))).toBe('bad_base64')
  })
})
