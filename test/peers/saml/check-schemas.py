"""Holds XML files against the schemas of OASIS, which python3-saml carries: argv is pairs of a schema's name and a file."""
import importlib.util
import os
import sys

from lxml import etree

home = os.path.dirname(importlib.util.find_spec("onelogin.saml2").origin)
faults = 0
for name, path in zip(sys.argv[1::2], sys.argv[2::2]):
    # The schemas name each other beside themselves: nothing is fetched.
    parser = etree.XMLParser(no_network=True)
    schema = etree.XMLSchema(
        etree.parse(os.path.join(home, "schemas", f"saml-schema-{name}-2.0.xsd"), parser)
    )
    if not schema.validate(etree.parse(path, parser)):
        faults += 1
        print(os.path.basename(path), schema.error_log)
sys.exit(bool(faults))
