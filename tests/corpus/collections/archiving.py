"""What tests of archived, deleted and restored collections share."""

from accounts.models import User
from corpus.collections.contents import contents
from corpus.models import Role
from tests.access_world import World


def manager_of(world: World) -> User:
    return world.members[Role.MANAGER].user


def rows_of(collection_id: int) -> dict[str, list[dict[str, object]]]:
    """All rows of a collection, by table."""
    return {each.name: list(each.of(collection_id).order_by("pk").values()) for each in contents()}
