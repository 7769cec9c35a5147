import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What of operators' records is shown to whom, and the states of what they are about.
enum OperatorRecordRules {
    /// A record as an actor may see it. Below an operator, who has done what others have done, and why, is not shown: like the page of the
    /// audit, which shows support its own.
    static func shown(_ record: OperatorRecord, to actor: Actor) -> OperatorRecord {
        maySee(record, actor) ? record : record.withoutPerson
    }

    static func maySee(_ record: OperatorRecord, _ actor: Actor) -> Bool {
        // A game server and a command name themselves as they like.
        actor.knownRole >= .operator || record.door == .console && record.personName == actor.name
    }

    /// A record as the page of a shift shows it; nil if it does not. Below an operator, that of somebody else says what the members'
    /// histories say as well, and no more: not the ticket, nor what was there before.
    static func handedOver(_ record: OperatorRecord, to actor: Actor) -> OperatorRecord? {
        if maySee(record, actor) { return record }
        guard record.target.begins(with: "member ") || record.target.begins(with: "members ") else { return nil }
        return record.asInHistory
    }

    /// The last five different reasons that a person has given: not those of notes and tests, which take none, nor those of an undo, which
    /// were made up by the server.
    static func lastReasons(of person: OperatorID, app: AppID?, in tx: Reader) throws -> [String] {
        var reasons: [String] = []
        for given in try OperatorRecordQueries.reasons(of: person, app: app, limit: 100, in: tx)
        where reasons.count < 5 && given.reason != given.action && !given.once.begins(with: OperatorRecord.undoMark)
            && !reasons.contains(given.reason)
        {
            reasons.append(given.reason)
        }
        return reasons
    }

    /// The state of a target: what operators' actions can change.
    static func state(of target: ActionTarget, app: AppID?, in tx: Reader) throws -> TargetState {
        if case .person(let name) = target { return try person(name, in: tx) }
        if case .newApp(let id) = target {
            return TargetState(try AppQueries.app(id, in: tx).map { ["name": $0.name] } ?? [:])
        }
        guard let app else { return TargetState() }
        return try state(of: target, in: app, tx)
    }

    private static func state(of target: ActionTarget, in app: AppID, _ tx: Reader) throws -> TargetState {
        switch target {
        case .member(let user): try member(user, app: app, in: tx)
        case .app: try self.app(app, in: tx)
        case .provider(let provider): try self.provider(provider, app: app, in: tx)
        case .testDevice(let key):
            TargetState(
                try AppQueries.testDevices(of: app, in: tx).first { $0.key == key }.map { ["note": $0.note] } ?? [:])
        case .clientRules: TargetState(clientRules: try ClientRuleQueries.rules(of: app, in: tx))
        case .signingKeys:
            TargetState(
                Dictionary(
                    try KeyQueries.keys(of: app, in: tx).map {
                        ("signingKey.\($0.id).activeAt", String($0.activeAt))
                    }
                ) { first, _ in first })
        case .secrets:
            TargetState(
                Dictionary(
                    try SecretQueries.secrets(of: app, in: tx).map { secret in
                        (
                            secret.id,
                            [secret.name, secret.scopes.words.joined(separator: " ")].compactMap { $0 }
                                .joined(separator: ": ")
                        )
                    }
                ) { first, _ in first })
        case .banTemplate(let code):
            TargetState(
                try HoldQueries.banTemplate(code, app: app, in: tx).map { template in
                    Dictionary(template.texts.texts.map { ("text.\($0.key)", $0.value) }) { first, _ in first }
                        .merging(["name": template.name, "isArchived": String(template.isArchived)]) { $1 }
                } ?? [:])
        case .reply(let id):
            TargetState(
                try ReplyQueries.reply(id, app: app, in: tx).map { reply in
                    Dictionary(reply.texts.texts.map { ("text.\($0.key)", $0.value) }) { first, _ in first }
                        .merging(["title": reply.title]) { $1 }
                } ?? [:])
        case .members(let users): try members(users, app: app, in: tx)
        case .job(let id):
            TargetState(
                try JobQueries.job(id, of: app, in: tx).map { job in
                    [
                        "kind": job.kind.rawValue, "state": job.state.rawValue, "attempts": String(job.attempts),
                        "nextAt": String(job.nextAt.milliseconds), "lastError": job.lastError ?? "",
                    ]
                } ?? [:])
        case .alertReceivers:
            try AlertRules.state(of: app, in: tx)
        case .legacySources: try LegacySourceRules.state(of: app, in: tx)
        case .imports: try ImportRules.state(of: app, in: tx)
        case .person, .newApp, .server: TargetState()
        }
    }

    private static func members(_ users: [UserID], app: AppID, in tx: Reader) throws -> TargetState {
        var values: [String: String] = [:]
        for user in users {
            let state = try account(user, app: app, in: tx).map { try self.state(of: $0, in: tx) } ?? TargetState()
            for name in ["status", "ban", "banEndsAt"] { values["\(user).\(name)"] = state.values[name] }
        }
        return TargetState(values)
    }

    private static func person(_ name: String, in tx: Reader) throws -> TargetState {
        guard let person = try OperatorQueries.find(named: name, in: tx)?.person else { return TargetState() }
        var values = ["isDisabled": String(person.isDisabled), "isEnrolled": String(person.isEnrolled)]
        for (scope, role) in person.grants { values["grant.\(scope.text)"] = role.rawValue }
        return TargetState(values)
    }

    private static func member(_ user: UserID, app: AppID, in tx: Reader) throws -> TargetState {
        guard let account = try account(user, app: app, in: tx) else { return TargetState() }
        var state = try state(of: account, in: tx)
        let ban = try account.holds.ban.flatMap { try HoldQueries.ban($0.id, app: app, in: tx) }
        if let code = ban?.templateCode {
            state.values["banTemplate"] = try HoldQueries.banTemplate(code, app: app, in: tx)?.name
        }
        return state
    }

    private static func account(_ user: UserID, app: AppID, in tx: Reader) throws -> Account? {
        try MemberQueries.account(user, app: app, in: tx).map { try MemberRules.withHolds($0, in: tx) }
    }

    private static func state(of account: Account, in tx: Reader) throws -> TargetState {
        var values = ["status": account.status.rawValue]
        values["identities"] = account.mappings.map(\.provider.rawValue).sorted().joined(separator: ", ")
        values["withdrawsAt"] = account.holds.withdrawsAt.map { String($0.milliseconds) }
        values["ban"] = account.holds.ban?.id
        values["banEndsAt"] = account.holds.ban?.endsAt.map { String($0.milliseconds) }
        values["graceBan"] = account.holds.graceBan?.id
        values["graceBanEndsAt"] = account.holds.graceBan?.endsAt.map { String($0.milliseconds) }
        values["restorableUntil"] = account.holds.restorableUntil.map { String($0.milliseconds) }
        if account.status == .missing { values.merge(try owner(ofIdentityOf: account, in: tx)) { $1 } }
        return TargetState(values)
    }

    /// Who has the last identity of a member without one, and what else: a restoration changes that member too.
    private static func owner(ofIdentityOf account: Account, in tx: Reader) throws -> [String: String] {
        let former = try FormerIdentityQueries.identities(
            of: account.user, app: account.app, at: Moment(milliseconds: 0), in: tx)
        guard let identity = former.first, let owner = try MemberQueries.owner(of: identity, app: account.app, in: tx),
            let other = try MemberQueries.account(owner, app: account.app, in: tx)
        else { return [:] }
        return [
            "identityBelongsTo": owner.rawValue,
            "identityBelongsTo.identities": other.mappings.map(\.provider.rawValue).sorted().joined(separator: ", "),
        ]
    }

    private static func app(_ id: AppID, in tx: Reader) throws -> TargetState {
        guard let app = try AppQueries.app(id, in: tx) else { return TargetState() }
        var values = ["name": app.name, "status": String(app.status.rawValue), "defaultLanguage": app.defaultLanguage]
        for (language, text) in app.statusMessage.texts { values["statusMessage.\(language)"] = text }
        if let window = app.maintenance {
            values["maintenance.begin"] = String(window.begin.milliseconds)
            values["maintenance.end"] = String(window.end.milliseconds)
            values["maintenance.url"] = window.url
            values["maintenance.reason"] = window.reason
            for (language, text) in window.message.texts { values["maintenance.message.\(language)"] = text }
        }
        values["kickedOutAt"] = app.kickOut.map { String($0.at.milliseconds) }
        for setting in AppLimits.Setting.allCases {
            values["limits.\(setting.rawValue)"] = String(app.limits[setting])
        }
        values.merge(try flat(app.policy, "policy.")) { $1 }
        for device in try AppQueries.testDevices(of: id, in: tx) {
            values["testDevice.\(device.key.rawValue.prefix(8))…"] = device.note
        }
        return TargetState(values)
    }

    /// A value's members by name, each as JSON.
    static func flat(_ value: some Encodable, _ prefix: String) throws -> [String: String] {
        guard case .object(let members) = try JSONValue(encoding: value) else { return [:] }
        return Dictionary(
            try members.map { ("\(prefix)\($0.key)", try $0.value.stringValue ?? JSONText.sorted($0.value)) }
        ) { first, _ in first }
    }

    private static func provider(_ provider: Provider, app: AppID, in tx: Reader) throws -> TargetState {
        guard let configuration = try AppQueries.app(app, in: tx)?.providers[provider] else { return TargetState() }
        var state = TargetState(try flat(configuration, ""))
        // A mark that changes with the secrets, and tells nothing of them.
        state.values["secrets"] = configuration.sealedSecrets.map { sealed in
            Base64URL.encode(OperatorRules.hash(of: Base64URL.encode(sealed)).prefix(6))
        }
        return state
    }
}
