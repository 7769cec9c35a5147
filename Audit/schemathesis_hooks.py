"""What schemathesis needs to get past the door: every call is signed by a player who is logged in, or shows the secret key."""

import atexit
import collections
import json
import os
import pathlib
import random
import threading
import time
import uuid

import requests
import schemathesis

from player import REDIRECT, SECONDS, Device, Player, accepted, old_session, query

URL = os.environ["AUDIT_URL"]
APP = os.environ["AUDIT_APP"]
SECRET = os.environ["AUDIT_SECRET"]
PROVIDERS = ["google", "appleid", "facebook", "line", "naver", "kakao", "twitter", "weibo", "payco", "studio"]
# After these the player's session is over, or may be.
ENDING = {"logOut", "withdraw", "changeLogin", "ban", "kickOut", "removeMapping"}


class Cast:
    """The players of the run. What one has issued, another uses: random texts alone would never get that far."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lock = threading.RLock()
        self.player = None
        self.calls = 0
        # The operations whose scene has been made.
        self.staged = set()
        self.successes = collections.Counter()

    def someone(self):
        with self.lock:
            self.calls += 1
            # A new one now and then, so that members of every age and state are met.
            if self.player is None or self.calls % 20 == 0:
                self.player = Player(URL, APP).log_in()
            return self.player

    def person(self):
        return f"person{self.random.randrange(5)}"

    def provider(self):
        return self.random.choice(PROVIDERS)

    def saw(self, operation, status):
        with self.lock:
            self.successes[operation] += 200 <= status < 400
            if operation in ENDING or status == 401:
                self.player = None


CAST = Cast(int(os.environ["AUDIT_SEED"]))
atexit.register(lambda: pathlib.Path(os.environ["AUDIT_SUCCESSES"]).write_text(json.dumps(CAST.successes)))


def operation_id(operation):
    return operation.definition.raw.get("operationId")


@schemathesis.auth(refresh_interval=None)
class Signed:
    def get(self, case, context):
        # Answered by `set`: a proof counts once, so nothing can be kept.
        return True

    def set(self, case, data, context):
        sign(case, CAST.someone())


def fields(case):
    return case.body if isinstance(case.body, dict) else {}


def sign(case, player):
    security = case.operation.definition.raw.get("security", [])
    names = {name for requirement in security for name in requirement}
    headers = dict(case.headers or {})
    if "secretKey" in names:
        headers["X-Secret-Key"] = SECRET
    if "proof" in names:
        token = {"refreshToken": player.refresh, "accessToken": player.access}
        # For a login any device does, but for one that has a code: the code is its own.
        device = player.device if names & set(token) or "loginCode" in fields(case) else Device()
        shown = next((token[name] for name in names if name in token), None)
        headers |= device.headers(case.method.upper(), URL + case.formatted_path, shown)
    case.headers = headers


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Narrows the document to the app that this server has."""
    raw_schema["components"]["parameters"]["appId"]["schema"] = {"type": "string", "enum": [APP]}


def whole(value):
    """Writes 5.0 as 5: to JSON Schema both are integers, to the server only the latter is one."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {name: whole(member) for name, member in value.items()}
    if isinstance(value, list):
        return [whole(element) for element in value]
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes the first call of each operation that is meant to be right such that it succeeds, and half of the others: what is needed is
    there, and named."""
    operation = operation_id(case.operation)
    # Without a member it would end the sessions of all, and with them those of scenes.
    if operation == "kickOut" and isinstance(case.body, dict) and case.body.get("userId") is None:
        case.body = {**case.body, "userId": CAST.someone().user}
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if isinstance(case.body, (dict, list)):
        case.body = whole(case.body)
    with CAST.lock:
        if operation in SCENES and (operation not in CAST.staged or CAST.random.random() < 0.5):
            if operation not in CAST.staged:
                CAST.staged.add(operation)
                case.body = PLAIN.get(operation, case.body)
            sign(case, SCENES[operation](case, Player(URL, APP)) or CAST.someone())


# What must have happened before a call: each takes the call and a new device, and returns who makes the call.


def begins_login(case, player):
    case.body = {"provider": CAST.provider(), "redirectUri": REDIRECT}


def comes_back(case, player):
    provider = CAST.random.choice([name for name in PROVIDERS if name != "appleid"])
    url, _ = player.callback(provider, CAST.person())
    case.path_parameters["idp"], case.query = provider, query(url)


def comes_back_by_form(case, player):
    _, case.body = player.callback("appleid", CAST.person())
    case.path_parameters["idp"], case.media_type = "appleid", "application/x-www-form-urlencoded"


def reports(case, player):
    # What the fake Kakao shows and sends.
    case.path_parameters["idp"], case.media_type = "kakao", "application/x-www-form-urlencoded"
    case.headers = {**(case.headers or {}), "Authorization": "KakaoAK fake-admin-key"}
    case.body = {"app_id": "424242", "user_id": "1", "referrer_type": "ACCOUNT_DELETE"}


def logs_in(case, player):
    provider = CAST.provider()
    case.body = {"provider": "guest"}
    if CAST.random.random() < 0.5:
        case.body = {"provider": provider, "loginCode": player.login_code(provider, CAST.person())}
        return player


def maps(case, player):
    provider = CAST.provider()
    player.log_in()
    case.body = {"provider": provider, "loginCode": player.login_code(provider, CAST.person())}
    return player


def has_ticket(case, player):
    provider, person = CAST.provider(), CAST.person()
    Player(URL, APP).log_in_with(provider, person)
    ticket = player.log_in().map(provider, person)
    case.body = {name: ticket[name] for name in ("forcingMappingKey", "provider", "mappedUserId")}
    return player


def has_two_mappings(case, player):
    first, second = CAST.random.sample(PROVIDERS, 2)
    player.log_in().map(first, f"own-{player.user}")
    player.map(second, f"own-{player.user}")
    case.body = {"provider": second}
    return player


def has_transfer_account(case, player):
    issued = player.log_in().call("POST", "/transfer-account/issue", token=player.access)
    operation = operation_id(case.operation)
    if operation == "renewTransferAccount":
        case.body = {"target": CAST.random.choice(["password", "idAndPassword"])}
    if operation == "redeemTransferAccount":
        case.body = {name: issued[name] for name in ("id", "password")}
    return player


def has_transfer_key(case, player):
    issued = player.log_in().call("POST", "/transfer-key/issue", {"validSeconds": 60}, player.access)
    case.body = {"transferKey": issued["transferKey"]}


def has_other_device(case, player):
    """Ends a session of one of two devices: the other one's for a player, either one's for a game server."""
    provider, person = CAST.provider(), f"devices-{CAST.random.random()}"
    Player(URL, APP).log_in_with(provider, person)
    player.log_in_with(provider, person)
    sessions = player.call("GET", "/sessions", token=player.access)["sessions"]
    other = next(session["sessionId"] for session in sessions if not session["isCurrent"])
    case.body = {"sessionId": other}
    if operation_id(case.operation) == "endMemberSession":
        case.body |= {"userId": player.user, "registeredBy": "audit"}
    return player


def is_leaving(case, player):
    player.log_in().call("POST", "/withdrawal/request", token=player.access)
    return player


def is_known(case, player):
    """For game servers: names a member that there is."""
    player.log_in()
    body = dict(case.body)
    if "userIds" in body:
        body["userIds"] = [player.user]
    if "userId" in body:
        body["userId"] = player.user
    if "accessToken" in body:
        body["accessToken"] = player.access
    case.body = body


def has_grace_ban(case, player):
    """For game servers: a grace ban of a member that has none, or the release of one."""
    player.log_in()
    condition = {"amount": 1.5, "count": 1, "currency": "KRW", "conditionType": CAST.random.choice(["AND", "OR"])}
    ban = {
        "gracePeriodDate": (int(time.time()) + 3600) * 1000,
        "message": "Pay%20back",
        "paymentStatus": {"amount": 0, "count": 0, "currency": "KRW"},
        "releaseRuleCondition": condition,
    }
    body = {"userId": player.user, "graceBan": ban, "registeredBy": "audit"}
    if operation_id(case.operation) == "registerGraceBan":
        case.body = body
        return
    url = f"{URL}/v1/server/apps/{APP}/grace-bans"
    accepted(lambda: requests.post(url, json=body, headers={"X-Secret-Key": SECRET}, timeout=SECONDS))
    case.body = {"userId": player.user, "reason": "paid", "registeredBy": "audit"}


def has_profile(case, player):
    provider = CAST.provider()
    case.body = {"userId": player.log_in_with(provider, CAST.person()).user, "provider": provider}


def has_own_profile(case, player):
    provider = CAST.provider()
    case.body = {"provider": provider}
    return player.log_in_with(provider, CAST.person())


def comes_from_old_game(case, player):
    credential = {"kind": "sessionToken", "value": old_session(str(uuid.uuid4()))}
    case.body = {"source": "old-game", "credential": credential}


def is_vouched_for(case, player):
    ticket = player.call("POST", "/login/migrate/ticket")["ticket"]
    case.body = {"source": "vouched", "legacyId": str(uuid.uuid4()), "deviceTicket": ticket}


def has_come(case, player):
    case.body = {"source": "old-game", "legacyIds": [str(uuid.uuid4())]}


# The body of an operation's first call, where made-up values may be refused for what is no matter of names. `is_known` fills the names in.
PLAIN = {
    "ban": {"userIds": [], "banType": "PERMANENT", "reason": "aimbot", "registeredBy": "audit"},
    "releaseBan": {"userIds": [], "reason": "innocent", "registeredBy": "audit"},
    "reportPayment": {"userId": "", "paymentId": "first", "amount": 1, "currency": "KRW"},
    "kickOut": {"userId": "", "message": {}, "registeredBy": "audit"},
    "memberSessions": {"userId": ""},
}

SCENES = {
    "migrate": comes_from_old_game,
    "confirmMigration": is_vouched_for,
    "lookUpMigrations": has_come,
    "beginLogin": begins_login,
    "callback": comes_back,
    "callbackByForm": comes_back_by_form,
    "signal": reports,
    "logIn": logs_in,
    "addMapping": maps,
    "forceMapping": has_ticket,
    "changeLogin": has_ticket,
    "removeMapping": has_two_mappings,
    "queryTransferAccount": has_transfer_account,
    "renewTransferAccount": has_transfer_account,
    "redeemTransferAccount": has_transfer_account,
    "redeemTransferKey": has_transfer_key,
    "endSession": has_other_device,
    "endMemberSession": has_other_device,
    "memberSessions": is_known,
    "cancelWithdrawal": is_leaving,
    "ban": is_known,
    "releaseBan": is_known,
    "registerGraceBan": has_grace_ban,
    "releaseGraceBan": has_grace_ban,
    "reportPayment": is_known,
    "kickOut": is_known,
    "checkToken": is_known,
    "providerProfile": has_profile,
    "ownProfile": has_own_profile,
}


@schemathesis.hook
def after_call(context, case, response):
    CAST.saw(operation_id(case.operation), response.status_code)
