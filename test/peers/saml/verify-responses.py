"""An independent opinion of SAML responses: signxml over lxml, pinned to one certificate.

argv: the certificate's file. One line of stdin is one response in base64; one line of stdout is a JSON
list of what its signatures cover, each as an identity, or null where one of them does not hold. Only
signatures that stand where a response or its assertion carries its own are asked; "anywhere" says whether
some other one would hold.
"""
import base64
import json
import sys

from lxml import etree
from signxml import (
    DigestAlgorithm,
    SignatureConfiguration,
    SignatureMethod,
    XMLVerifier,
)
from cryptography import x509

SAML = "{urn:oasis:names:tc:SAML:2.0:assertion}"
PROTOCOL = "{urn:oasis:names:tc:SAML:2.0:protocol}"
DS = "{http://www.w3.org/2000/09/xmldsig#}"

with open(sys.argv[1], "rb") as file:
    certificate = x509.load_pem_x509_certificate(file.read())


def verify(xml, location):
    config = SignatureConfiguration(
        location=location,
        expect_references=1,
        signature_methods=frozenset([SignatureMethod.RSA_SHA256]),
        digest_algorithms=frozenset([DigestAlgorithm.SHA256]),
        # The certificate is ours; what the message says of keys is not looked at.
        ignore_ambiguous_key_info=True,
    )
    verifier = XMLVerifier()
    return verifier.verify(
        xml, x509_cert=certificate, validate_schema=False, expect_config=config
    ).signed_xml


def text(element):
    return "".join(element.itertext())


def identity(signed):
    """What a service would read of the signed octets."""
    if signed is None:
        return None
    if signed.tag == SAML + "Assertion":
        assertion = signed
    elif signed.tag == PROTOCOL + "Response" and len(signed.findall(SAML + "Assertion")) == 1:
        assertion = signed.find(SAML + "Assertion")
    else:
        return None
    attributes = []
    for attribute in assertion.iterfind(f"{SAML}AttributeStatement/{SAML}Attribute"):
        values = [
            text(value).strip()
            for value in attribute.iterfind(SAML + "AttributeValue")
            if len(value) == 0
        ]
        attributes.append([attribute.get("Name") or "", [value for value in values if value]])
    data = assertion.findall(
        f"{SAML}Subject/{SAML}SubjectConfirmation/{SAML}SubjectConfirmationData"
    )
    return {
        "id": assertion.get("ID"),
        "issuer": [text(one).strip() for one in assertion.findall(SAML + "Issuer")],
        "nameId": [text(one).strip() for one in assertion.iterfind(f"{SAML}Subject/{SAML}NameID")],
        "audiences": [
            [text(audience).strip() for audience in restriction.iterfind(SAML + "Audience")]
            for restriction in assertion.iterfind(f"{SAML}Conditions/{SAML}AudienceRestriction")
        ],
        "inResponseTo": [one.get("InResponseTo") for one in data],
        "recipient": [one.get("Recipient") for one in data],
        "attributes": attributes,
    }


def judge(xml):
    try:
        root = etree.fromstring(
            xml, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        )
    except (etree.XMLSyntaxError, ValueError):
        return {"signed": None, "anywhere": False}
    places = []
    if root.find("./" + DS + "Signature") is not None:
        places.append("./")
    if root.find(f"./{SAML}Assertion/{DS}Signature") is not None:
        places.append(f"./{SAML}Assertion/")
    try:
        signed = [identity(verify(xml, place)) for place in places]
        if signed:
            return {"signed": signed, "anywhere": True}
    except Exception as fault:  # whatever it is, it does not hold
        why = type(fault).__name__
    else:
        why = "no signature"
    try:
        verify(xml, ".//")
        return {"signed": None, "anywhere": True, "why": why}
    except Exception:
        return {"signed": None, "anywhere": False, "why": why}


for line in sys.stdin:
    print(json.dumps(judge(base64.b64decode(line))), flush=True)
