import type { Random } from './seeded-random.ts'

/** What a mutation is given: the response, chance, and another genuine response of the same provider. */
export type Scene = { xml: string; other: string; random: Random; victim: string; attacker: string }
export type Mutation = (scene: Scene) => string | Buffer

/** Replaces one of the places that the pattern finds; where it finds none, nothing. */
function replaceOne(
  { xml, random }: Scene,
  pattern: RegExp,
  to: (found: RegExpMatchArray) => string,
): string {
  const places = [...xml.matchAll(pattern)]
  if (places.length === 0) return xml
  const found = random.pick(places)
  return xml.slice(0, found.index) + to(found) + xml.slice(found.index + found[0].length)
}

const insert = (text: string, at: number, what: string) => text.slice(0, at) + what + text.slice(at)

/** A place inside of some element's text, or between elements. */
const inText = (scene: Scene, what: string) =>
  replaceOne(scene, />([^<]+)</g, ([, text = '']) => {
    return `>${insert(text, scene.random.below(text.length + 1), what)}<`
  })

const algorithms = [
  'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
  'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  'http://www.w3.org/2000/09/xmldsig#sha1',
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
  'http://www.w3.org/2001/04/xmldsig-more#md5',
  'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  'http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments',
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
  'http://www.w3.org/2006/12/xml-c14n11',
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  'http://www.w3.org/2000/09/xmldsig#base64',
  'http://www.w3.org/TR/1999/REC-xpath-19991116',
  'http://www.w3.org/TR/1999/REC-xslt-19991116',
  '',
  'none',
]

const transform = (algorithm: string, inner = '') =>
  `<ds:Transform Algorithm="${algorithm}">${inner}</ds:Transform>`

/** Spaces, and what looks like one to some readers of base64. */
const blanks = [' ', '\n', '\t', '\r\n', '&#13;', '&#10;', '\u00a0', '\u2028', '=', '==', '-', '!']

const idNames = ['ID', 'Id', 'id', 'xml:id', 'AssertionID', 'wsu:Id']
const uris = ['', '#', '#xpointer(/)', 'cid:x', 'http://evil.test/x', 'file:///etc/passwd']

/** Over the text of a response, as somebody with an editor would. */
export const textMutations: Record<string, Mutation> = {
  flipByte({ xml, random }) {
    const bytes = Buffer.from(xml)
    for (let n = 0; n <= random.below(3); n += 1)
      bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
    return bytes
  },
  cut({ xml, random }) {
    const at = random.below(xml.length)
    return xml.slice(0, at) + xml.slice(at + 1 + random.below(40))
  },
  repeat({ xml, random }) {
    const at = random.below(xml.length)
    return insert(xml, at, xml.slice(at, at + 1 + random.below(200)))
  },
  swapCase: (scene) => replaceOne(scene, /[a-z]/g, ([letter = '']) => letter.toUpperCase()),
  comment: (scene) => inText(scene, scene.random.pick(['<!---->', '<!-- x -->', '<!--\n-->'])),
  commentInName: (scene) =>
    replaceOne(scene, /@/g, () =>
      scene.random.pick(['<!---->@', '@<!--x-->', '@evil.test<!---->']),
    ),
  cdata: (scene) => replaceOne(scene, />([^<]+)</g, ([, text]) => `><![CDATA[${text}]]><`),
  cdataPart: (scene) => inText(scene, '<![CDATA[]]>'),
  instruction: (scene) => inText(scene, '<?x y?>'),
  characterReference: (scene) =>
    replaceOne(scene, /(?<=>[^<]*)[a-z0-9](?=[^<>]*<)/gi, ([letter = '']) => {
      const code = letter.codePointAt(0) ?? 0
      return scene.random.chance(0.5) ? `&#${code};` : `&#x0${code.toString(16)};`
    }),
  forbiddenReference: (scene) =>
    inText(
      scene,
      scene.random.pick(['&#0;', '&#x1f;', '&#xd800;', '&#xfffe;', '&x;', '&lt;b&gt;']),
    ),
  entity: ({ xml, random, victim }) =>
    `<!DOCTYPE r [<!ENTITY e "${victim}">]>${xml.replace(/>[^<]*@/, random.chance(0.5) ? '>&e;' : '>')}`,
  outsideRoot: ({ xml, random }) =>
    random.pick([
      `x${xml}`,
      `${xml}x`,
      `${xml}${xml}`,
      `<!-- -->${xml}`,
      `${xml}\n\n`,
      `\ufeff${xml}`,
    ]),
  declaration: ({ xml, random }) =>
    `<?xml version="${random.pick(['1.0', '1.1', '2'])}" encoding="${random.pick(['utf-8', 'UTF-7', 'utf-16', 'latin1', 'US-ASCII'])}"?>${xml}`,
  utf16: ({ xml }) => Buffer.from(`\ufeff${xml}`, 'utf16le'),
  lineEnds: (scene) =>
    scene.random.chance(0.5)
      ? scene.xml.replaceAll('\n', scene.random.pick(['\r\n', '\r', '&#13;\n', '\u0085']))
      : replaceOne(scene, /></g, () => `>${scene.random.pick(['\r\n', '\n', '\r', '  '])}<`),
  blankInTag: (scene) =>
    replaceOne(scene, /(?<=<[\w:]+) (?=[^<>]*>)/g, () => scene.random.pick(['\n', '\t  ', '  '])),
  otherQuotes: (scene) => replaceOne(scene, /="([^"'<>]*)"/g, ([, value]) => `='${value}'`),
  attributeTwice: (scene) => replaceOne(scene, / [\w:]+="[^"]*"/g, ([one]) => `${one}${one}`),
  attributeAway: (scene) => replaceOne(scene, / [\w:]+="[^"]*"/g, () => ''),
  attributesTurned: (scene) =>
    replaceOne(scene, /( [\w:]+="[^"]*")( [\w:]+="[^"]*")/g, ([, a, b]) => `${b}${a}`),
  algorithm: (scene) =>
    replaceOne(scene, /Algorithm="[^"]*"/g, () => `Algorithm="${scene.random.pick(algorithms)}"`),
  transformMore: (scene) =>
    replaceOne(
      scene,
      /<ds:Transform /g,
      ([found]) =>
        transform(
          scene.random.pick(algorithms),
          scene.random.pick(['', '<ds:XPath>1=0</ds:XPath>']),
        ) + found,
    ),
  transformAway: (scene) => replaceOne(scene, /<ds:Transform [^>]*\/>/g, () => ''),
  transformsTurned: ({ xml }) =>
    xml.replace(/(<ds:Transform [^>]*\/>)(<ds:Transform [^>]*\/>)/, '$2$1'),
  inclusive: (scene) =>
    replaceOne(
      scene,
      /<ds:(Transform|CanonicalizationMethod) (Algorithm="http:\/\/www.w3.org\/2001\/10\/xml-exc-c14n#")\s*\/>/g,
      ([, name, algorithm]) =>
        `<ds:${name} ${algorithm}><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="${scene.random.pick(['saml', 'samlp xs', '#default', 'ds saml'])}"/></ds:${name}>`,
    ),
  referenceElsewhere: (scene) =>
    replaceOne(scene, /URI="#[^"]*"/g, ([found]) =>
      scene.random.chance(0.4)
        ? `URI="${scene.random.pick(uris)}"`
        : scene.random.chance(0.5)
          ? `URI="#${/ ID="([^"]*)"/.exec(scene.xml)?.[1] ?? ''}"`
          : found.replace('#', "#xpointer(id('").replace(/"$/, '\'))"'),
    ),
  referenceTwice: ({ xml }) => xml.replace(/<ds:Reference[\s\S]*?<\/ds:Reference>/, '$&$&'),
  digestBlank: (scene) =>
    replaceOne(scene, /(?<=<ds:DigestValue>)[^<]*/g, ([value = '']) =>
      insert(value, scene.random.below(value.length), scene.random.pick(blanks)),
    ),
  signatureBlank: (scene) =>
    replaceOne(scene, /(?<=<ds:SignatureValue>)[^<]*/g, ([value = '']) =>
      insert(value, scene.random.below(value.length), scene.random.pick(blanks)),
    ),
  signatureLines: (scene) =>
    replaceOne(scene, /(?<=<ds:SignatureValue>)[^<]*/g, ([value = '']) =>
      value.replaceAll(/.{64}/g, '$&\n'),
    ),
  signatureCut: (scene) =>
    replaceOne(scene, /(?<=<ds:SignatureValue>)[^<]*/g, ([value = '']) =>
      value.slice(0, scene.random.below(value.length)),
    ),
  signatureOfAnother: ({ xml, other }) =>
    xml.replace(
      /<ds:Signature[\s\S]*?<\/ds:Signature>/,
      /<ds:Signature[\s\S]*?<\/ds:Signature>/.exec(other)?.[0] ?? '',
    ),
  valueOfAnother: ({ xml, other }) =>
    xml.replace(/<ds:SignatureValue>[^<]*/, /<ds:SignatureValue>[^<]*/.exec(other)?.[0] ?? ''),
  keyInfoAway: ({ xml }) => xml.replace(/<ds:KeyInfo>[\s\S]*?<\/ds:KeyInfo>/, ''),
  keyInfoOther: (scene) =>
    replaceOne(scene, /(?<=<ds:KeyInfo>)[\s\S]*?(?=<\/ds:KeyInfo>)/g, () =>
      scene.random.pick([
        '<ds:KeyName>evil</ds:KeyName>',
        '<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>AQAB</ds:Modulus><ds:Exponent>AQAB</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>',
        '<ds:X509Data><ds:X509SubjectName>CN=evil</ds:X509SubjectName></ds:X509Data>',
      ]),
    ),
  idTwice: (scene) => {
    const id = scene.random.pick([...scene.xml.matchAll(/ ID="([^"]*)"/g)])[1]
    const name = scene.random.pick(idNames)
    const declared = name.startsWith('wsu') ? ` xmlns:wsu="urn:wsu"` : ''
    return replaceOne(scene, /<[\w:]+(?=[ >])/g, ([tag]) => `${tag}${declared} ${name}="${id}"`)
  },
  idOther: (scene) => replaceOne(scene, / ID="[^"]*"/g, () => ` ID="_${scene.random.hex(32)}"`),
  victimInPlace: ({ xml, attacker, victim, random }) =>
    random.chance(0.5) ? xml.replace(attacker, victim) : xml.replaceAll(attacker, victim),
  emailHomoglyph: ({ xml, attacker, random }) =>
    xml.replace(attacker, attacker.replace('a', random.pick(['\u0430', '\uff41', 'a\u0301', 'A']))),
  audience: (scene) =>
    replaceOne(scene, /(?<=<saml:Audience>)[^<]*/g, () => 'https://elsewhere.test'),
  inResponseTo: (scene) =>
    replaceOne(scene, /InResponseTo="[^"]*"/g, () => `InResponseTo="_${scene.random.hex(40)}"`),
  issuer: (scene) => replaceOne(scene, /(?<=Issuer>)[^<]*/g, () => 'https://evil.test'),
  time: (scene) =>
    replaceOne(scene, /="20\d\d-[^"]*"/g, ([found]) =>
      found.replace(/\d\d:\d\d:/, `${10 + scene.random.below(14)}:${10 + scene.random.below(50)}:`),
    ),
  status: (scene) => replaceOne(scene, /status:\w+/g, () => 'status:Success'),
  namespaceUri: (scene) =>
    replaceOne(scene, /xmlns(:\w+)?="[^"]*"/g, ([found]) =>
      found.replace(/.(?="$)/, scene.random.pick(['', '/', 'x', ' '])),
    ),
  namespaceMore: (scene) =>
    replaceOne(
      scene,
      /<[\w:]+(?=[ >])/g,
      ([tag]) =>
        `${tag} ${scene.random.pick(['xmlns="urn:evil"', 'xmlns=""', 'xmlns:x="urn:x"', 'xmlns:saml="urn:evil"', 'xmlns:ds="urn:evil"', 'xmlns:xml="http://www.w3.org/XML/1998/namespace"'])}`,
    ),
  prefix: ({ xml, random }) => {
    const [from, to] = random.pick([
      ['saml', 'a'],
      ['samlp', 'p'],
      ['ds', 'dsig'],
      ['samlp', 'saml'],
    ] as const)
    return xml.replaceAll(`${from}:`, `${to}:`).replaceAll(`xmlns:${from}=`, `xmlns:${to}=`)
  },
}
