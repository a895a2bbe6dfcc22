import { Type } from 'typebox'

/** Its names are Sigstore's and DSSE's. */
export const ProvenanceBody = Type.Object({
  mediaType: Type.String(),
  verificationMaterial: Type.Object({
    publicKey: Type.Object({
      hint: Type.String({ description: 'The id of the key that signed.' }),
    }),
  }),
  dsseEnvelope: Type.Object({
    payloadType: Type.String(),
    payload: Type.String({ description: 'The in-toto statement, in Base64.' }),
    signatures: Type.Array(Type.Object({ keyid: Type.String(), sig: Type.String() })),
  }),
})
