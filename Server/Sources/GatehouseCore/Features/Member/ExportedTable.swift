import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// A table with rows about members, and which of its columns a person who asks gets to see. A test compares the tables with the schema,
/// so that a new column is decided on.
struct ExportedTable: Sendable {
    /// How a table's rows lead to a member.
    enum Owner: Sendable {
        case user
        /// The target in the operators' log, which is the member, or several members with the state of each.
        case target
        /// The keys of the member's devices.
        case device
    }

    let name: StaticString
    let columns: [StaticString]
    /// The columns that order the rows.
    let order: SQL
    var owner = Owner.user
    /// Columns that hold seconds since 1970. The export has milliseconds for all times.
    var columnsInSeconds: Set<String> = []
    /// Columns that are not exported, with the reason.
    var leftOut: KeyValuePairs<StaticString, LeftOut> = [:]

    /// Why something is not exported.
    enum LeftOut: String, Sendable {
        case identifiesRow = "It only says to which member or app the row belongs."
        case credential = "It is a credential, or a hash of one."
        case internalState = "It is a counter or a mark of the program, and says nothing about the person."
        case colleague = "It names an operator or a game server, who is another person."
        case separate = "It is sealed. What it holds is in this export under another name."
    }

    /// The members themselves, a row for each.
    static let members = ExportedTable(
        name: "members",
        columns: [
            "user_id", "status", "registered_at", "last_login_at", "active_day", "withdraws_at", "ban_ends_at",
            "grace_ends_at", "restorable_until", "sessions_end_reason", "sessions_end_message", "sessions_end_idp",
        ], order: "user_id",
        leftOut: [
            "app_id": .identifiesRow, "version": .internalState, "generation": .internalState,
            "ban_id": .identifiesRow, "grace_ban_id": .identifiesRow, "due_at": .internalState,
        ])

    static let all = [
        members,
        ExportedTable(
            name: "identities", columns: ["idp", "namespace", "subject", "registered_at", "revoked_at"],
            order: "registered_at, idp",
            leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow, "link": .internalState]),
        ExportedTable(
            name: "former_identities", columns: ["idp", "namespace", "subject", "left_at", "expires_at"],
            order: "left_at, idp", leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow]),
        ExportedTable(
            name: "identity_tokens", columns: ["idp", "session_id", "updated_at"], order: "idp",
            leftOut: [
                "app_id": .identifiesRow, "user_id": .identifiesRow, "sealed_tokens": .separate,
                "is_revocable": .internalState,
            ]),
        ExportedTable(
            name: "sessions",
            columns: [
                "session_id", "idp", "key_thumbprint", "client", "created_at", "last_used_at", "idle_expires_at",
                "expires_at", "ended_at", "end_reason", "resumed_at", "key_protection",
            ], order: "created_at, session_id",
            leftOut: [
                "app_id": .identifiesRow, "user_id": .identifiesRow, "refresh_hash": .credential,
                "generation": .internalState, "link": .internalState, "replaces": .internalState,
            ]),
        ExportedTable(
            name: "test_devices", columns: ["key_thumbprint", "note", "created_at"], order: "created_at",
            owner: .device, leftOut: ["app_id": .identifiesRow]),
        ExportedTable(
            name: "ledger", columns: ["entry_id", "event", "actor", "door", "reason", "details", "happened_at"],
            order: "entry_id",
            leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow, "acted_by": .colleague]),
        ExportedTable(
            name: "bans",
            columns: [
                "ban_id", "ban_type", "begins_at", "ends_at", "template_code", "message", "reason", "flags",
                "released_at", "release_reason",
            ], order: "begins_at, ban_id",
            leftOut: [
                "app_id": .identifiesRow, "user_id": .identifiesRow, "caller": .colleague,
                "registered_by": .colleague, "release_caller": .colleague, "released_by": .colleague,
            ]),
        ExportedTable(
            name: "grace_bans",
            columns: [
                "grace_ban_id", "message", "begins_at", "ends_at", "required_amount", "required_count", "currency",
                "condition_type", "paid_amount", "paid_count", "outcome", "ended_at",
            ], order: "begins_at, grace_ban_id",
            leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow, "registered_by": .colleague]),
        ExportedTable(
            name: "payments", columns: ["payment_id", "amount", "currency", "reported_at"],
            order: "reported_at, payment_id", leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow]),
        ExportedTable(
            name: "transfer_accounts",
            columns: [
                "account_id", "issued_type", "is_single_use", "issued_at", "expires_at", "used_at", "failed_attempts",
                "blocked_until",
            ], order: "issued_at",
            leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow, "password_hash": .credential]),
        ExportedTable(
            name: "transfer_keys", columns: ["issued_at", "expires_at", "used_at"], order: "issued_at",
            leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow, "key_hash": .credential]),
        ExportedTable(
            name: "revocations", columns: ["revocation_id", "session_id", "idp", "reason", "revoked_at"],
            order: "revoked_at, revocation_id", columnsInSeconds: ["revoked_at"],
            leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow, "generation": .internalState]),
        ExportedTable(
            name: "refusals",
            columns: [
                "transaction_id", "code", "reason", "call", "idp", "key_thumbprint", "client", "happened_at",
            ], order: "happened_at, refusal_id",
            leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow, "refusal_id": .identifiesRow]),
        ExportedTable(
            name: "member_notes", columns: ["note_id", "body", "is_pinned", "created_at", "edited_at"],
            order: "created_at, note_id",
            leftOut: [
                "app_id": .identifiesRow, "user_id": .identifiesRow, "author": .colleague, "edited_by": .colleague,
            ]),
        ExportedTable(
            name: "member_note_versions", columns: ["note_id", "body", "written_at"], order: "version_id",
            leftOut: [
                "app_id": .identifiesRow, "user_id": .identifiesRow, "version_id": .identifiesRow,
                "author": .colleague,
            ]),
        ExportedTable(
            name: "legacy_members",
            columns: ["source", "legacy_id", "imported_at", "valid_since", "claimed_at", "claimed_key"],
            order: "source",
            leftOut: [
                "app_id": .identifiesRow, "user_id": .identifiesRow, "run_id": .internalState,
                "record_digest": .internalState, "lost_identities": .internalState,
            ]),
        ExportedTable(
            name: "legacy_devices", columns: ["source", "kind"], order: "source, kind",
            leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow, "value_hash": .credential]),
        ExportedTable(
            name: "audit_log", columns: ["audit_id", "event", "actor", "door", "details", "happened_at"],
            order: "audit_id",
            leftOut: ["app_id": .identifiesRow, "user_id": .identifiesRow, "acted_by": .colleague]),
        ExportedTable(
            name: "operator_actions",
            columns: [
                "action", "reason", "ticket", "state_before", "state_after", "transaction_id", "happened_at",
            ], order: "entry_id", owner: .target,
            leftOut: [
                "entry_id": .identifiesRow, "app_id": .identifiesRow, "target": .identifiesRow,
                "operator_id": .colleague, "operator_name": .colleague, "role": .colleague, "address": .colleague,
                "once_key": .internalState,
            ]),
    ]

    /// Tables that lead to a member, or to a member's device, and are not exported.
    static let leftOutTables: KeyValuePairs<StaticString, String> = [
        "forcing_tickets": "A ticket for a decision that the player has to make lives for minutes.",
        "login_attempts": "A login in a browser that goes on, with sealed parts, lives for minutes.",
        "idempotent_calls": "Sealed answers, so that a repeated call does nothing twice, live for an hour.",
        "used_credentials": "Hashes of credentials, so that each counts once.",
        "spent_proofs": "Hashes of proofs, so that each counts once, live for minutes.",
        "transfer_attempts": "Keyed hashes of devices that have guessed at transfer accounts, live for days at most.",
        "jobs": "Work that goes on, with sealed parameters.",
        "provider_signals": "Hashes of an identity provider's reports, so that each counts once.",
    ]

    func statement(of user: UserID, app: AppID) -> SQL {
        let values = columns.dropFirst().reduce(value(columns[0])) { "\($0), \(value($1))" } as SQL
        let condition: SQL =
            switch owner {
            case .user: "user_id = \(user)"
            case .target:
                """
                (target = \(ActionTarget.member(user).text)
                OR (target LIKE 'members %' AND state_before LIKE \("%\"\(user).status\"%")))
                """
            case .device:
                """
                key_thumbprint IN (SELECT key_thumbprint FROM sessions WHERE user_id = \(user) AND app_id = \(app))
                """
            }
        return "SELECT \(values) FROM \(Self.text(name)) WHERE \(condition) AND app_id = \(app) ORDER BY \(order)"
    }

    private func value(_ column: StaticString) -> SQL {
        columnsInSeconds.contains("\(column)") ? "\(Self.text(column)) * 1000" : Self.text(column)
    }

    /// A value of a row without what it says about other members.
    func withoutOthers(_ value: JSONValue, of user: UserID) -> JSONValue {
        guard case .object(let members) = value else { return value }
        var own: [String: JSONValue] = [:]
        for (name, member) in members {
            // An operator's action on several members has the state of each by id, and one on a member the state of another one by a name.
            let group = name.utf8.firstIndex(of: UInt8(ascii: ".")).map { String(name[..<$0]) }
            if owner == .target, let group, group != user.rawValue { continue }
            let isOther = Self.namesOfOthers.contains(name) && member.stringValue != user.rawValue
            own[name] = isOther ? "another member" : member
        }
        return .object(own)
    }

    private static let namesOfOthers: Set = ["fromUserId", "toUserId", "identityBelongsTo"]

    private static func text(_ name: StaticString) -> SQL { SQL(stringLiteral: "\(name)") }
}

extension ExportedTable {
    /// The rows about a member, by column.
    func rows(of user: UserID, app: AppID, in tx: Reader) throws -> [[String: JSONValue]] {
        try tx.rows(statement(of: user, app: app)) { row in
            var values: [String: JSONValue] = [:]
            for (index, column) in columns.enumerated() {
                values["\(column)"] = withoutOthers(JSONValue(stored: try row[index]), of: user)
            }
            return values
        }
    }
}

extension JSONValue {
    /// The value of a column. A text that is an object or a list in JSON becomes one.
    fileprivate init(stored value: SQLValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .text(let text):
            let isJSON = text.begins(with: "{") || text.begins(with: "[")
            self = (isJSON ? try? JSONValue(StrictJSON.parse(Array(text.utf8))) : nil) ?? .string(text)
        // No exported column holds bytes.
        case .bytes: self = .null
        }
    }
}

/// What a number of an exported column is. The names of columns with times end alike.
package enum ExportedNumber: Sendable, Hashable {
    /// The beginning of a day, UTC.
    case day(Moment)
    case moment(Moment)
    case other

    package init(_ number: Int64, in column: String) {
        self =
            if column == "active_day" {
                .day(Moment(milliseconds: number.multipliedReportingOverflow(by: 86_400_000).partialValue))
            } else if column.ends(with: "_at") || column.ends(with: "_until") {
                .moment(Moment(milliseconds: number))
            } else {
                .other
            }
    }
}
