"""Kafka's properties that say who may do what.

Source: Kafka 3.9, AclAuthorizer.scala, configure; SecurityUtils.java, parseKafkaPrincipal.
"""

from collections.abc import Mapping
from typing import Final

from klamm.controller.security.authorizer import AclAuthorizer

AUTHORIZER: Final = "authorizer.class.name"
SUPER_USERS: Final = "super.users"
ALLOW_IF_NO_ACL: Final = "allow.everyone.if.no.acl.found"
#: Kafka's config definitions know only the first of them; its authorizer reads the others.
KEYS: Final = (AUTHORIZER, SUPER_USERS, ALLOW_IF_NO_ACL)

ACL_AUTHORIZER: Final = "kafka.security.authorizer.AclAuthorizer"


def authorizer_from(properties: Mapping[str, str]) -> AclAuthorizer | None:
    """Return the authorizer that properties ask for, without lists; None if everybody may all.

    Raises ValueError, with key, value and the way out.
    """
    name = properties.get(AUTHORIZER, "").strip()
    if not name:
        return None
    if name != ACL_AUTHORIZER:
        raise ValueError(
            f"{AUTHORIZER}={name!r}: klamm decides by the lists in ZooKeeper, as"
            f" {ACL_AUTHORIZER} does; name that one, or leave the key out to allow everything"
        )
    text = properties.get(ALLOW_IF_NO_ACL, "false").strip().lower()
    if text not in ("true", "false"):
        raise ValueError(f"{ALLOW_IF_NO_ACL}={text!r}: true or false is needed")
    return AclAuthorizer(_super_users(properties.get(SUPER_USERS, "")), text == "true")


def _super_users(text: str) -> frozenset[str]:
    users = [user.strip() for user in text.split(";")]
    for user in filter(None, users):
        kind, colon, name = user.partition(":")
        if not (kind and colon and name):
            raise ValueError(
                f"{SUPER_USERS}={text.strip()!r}: {user!r} is no principal; write User:NAME, and"
                " `;` between several"
            )
    return frozenset(filter(None, users))
