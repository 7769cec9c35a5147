import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Writes what was decided about the records of a batch, in its transaction.
struct ImportWriter {
    let task: ImportTask
    let run: String
    let hashKey: LegacyHashKey
    /// By the import and not by the operator who runs it, so that what it has done is known from what operators have.
    let change: Change

    private var app: AppID { change.app.id }
    private var source: String { task.mapping.source }

    init(task: ImportTask, run: String, hashKey: LegacyHashKey, _ change: Change) {
        self.task = task
        self.run = run
        self.hashKey = hashKey
        var own = change
        own.origin = .system(task.name, reason: "run \(run)")
        self.change = own
    }

    func write(_ verdict: ImportVerdict, of record: ImportRecord, in tx: Transaction) throws -> ImportOutcome {
        var outcome = ImportOutcome(verdict, of: record)
        switch verdict.decision {
        case .skip, .unchanged: break
        case .create(let devices): outcome.user = try create(record, devices, in: tx)
        case .adopt(let user): try adopt(user, record, in: tx)
        case .extend(let step): try extend(step, record, in: tx)
        }
        return outcome
    }

    private func legacyMember(_ record: ImportRecord, _ user: UserID) -> LegacyMember {
        let imported = record.member
        var member = LegacyMember(
            source: source, legacyID: imported.legacyID, user: user, run: run, importedAt: change.moment)
        member.digest = record.digest
        member.validSince = imported.validSinceDate.map { Moment(milliseconds: $0) }
        member.hasLostIdentities = imported.lost.contains(.identities)
        return member
    }

    // MARK: A new member

    private func create(
        _ record: ImportRecord, _ devices: [ImportRecord.Device], in tx: Transaction
    ) throws -> UserID {
        let imported = record.member
        let bans = ImportBans(of: imported, at: change.moment)
        // An id drawn from the date of the registration would be one of a few: those before 2024 begin alike.
        let kept = task.options.userIDs == .keep ? imported.userID.map { UserID($0) } : nil
        let user = kept ?? TimeOrderedID.user(at: change.moment, random: change.random)
        let registered = past(imported.registrationDate) ?? change.moment
        let lastLogin = max(past(imported.lastLoginDate) ?? registered, registered)
        var account = Account(
            app: app, user: user, status: .normal, registrationDate: registered.milliseconds,
            lastLoginDate: lastLogin.milliseconds, version: 0, generation: 0, mappings: [])
        account.activeDay = change.app.zone.day(of: lastLogin)
        account.holds.withdrawsAt = imported.gracePeriodDate.map { Moment(milliseconds: $0) }
        if let ban = bans.current {
            let id = try BanRules.insertImported(ban, of: user, change, in: tx)
            account.holds.ban = try BanRules.recordImported(ban, id, of: user, change, in: tx)
        }
        account.status = account.holds.status
        try MemberQueries.insertImported(account, in: tx)
        for identity in record.identities {
            let date = past(identity.registeredAt?.milliseconds) ?? registered
            try MemberQueries.insertIdentity(identity.key, of: account, at: date, in: tx)
        }
        try LegacyQueries.insert(legacyMember(record, user), app: app, in: tx)
        try insert(devices, of: user, in: tx)
        for ban in bans.past { _ = try BanRules.insertImported(ban, of: user, change, in: tx) }
        if let end = account.holds.withdrawsAt {
            try change.record(.withdrawalRequested(end: end), of: user, in: tx)
        }
        try change.record(.memberImported(source: source), of: user, in: tx)
        return user
    }

    /// A date of the old system; nil if there is none. Its clock may be ahead.
    private func past(_ date: Int64?) -> Moment? {
        date.map { Moment(milliseconds: min($0, change.moment.milliseconds)) }
    }

    private func insert(_ devices: [ImportRecord.Device], of user: UserID, in tx: Draft) throws {
        for device in devices {
            try LegacyQueries.insertDevice(
                hashKey.hash(ofDeviceDigest: device.digest), device.kind, of: user, source: source, app: app, in: tx)
        }
    }

    // MARK: A member who is there

    /// Gives a member who came before the file its legacy id, and changes nothing else.
    private func adopt(_ user: UserID, _ record: ImportRecord, in tx: Transaction) throws {
        guard try MemberQueries.lockUnlessWithdrawn(user, app: app, in: tx) else { throw StorageError.conflict }
        var member = legacyMember(record, user)
        // The run has not brought the member, and undoing it must not take the member away.
        member.run = nil
        try LegacyQueries.insert(member, app: app, in: tx)
        try change.record(.memberImported(source: source), of: user, in: tx)
    }

    private func extend(_ step: ImportExtension, _ record: ImportRecord, in tx: Transaction) throws {
        try LegacyQueries.update(step.legacy, app: app, in: tx)
        guard step.changesMember else { return }
        guard !step.account.hasLapsed(at: change.moment) else {
            throw AttemptFailure.unsettled(LapsedMember(app: app, user: step.account.user))
        }
        let account = try MemberRules.take(step.account, in: tx)
        for identity in step.identities {
            try MemberQueries.insertIdentity(identity.key, of: account, at: change.moment, in: tx)
            try change.record(.mappingAdded(identity.key.provider, endsGuest: false), of: account.user, in: tx)
        }
        try insert(step.devices, of: account.user, in: tx)
        for ban in step.pastBans { _ = try BanRules.insertImported(ban, of: account.user, change, in: tx) }
        let holds = try holds(after: step, of: account, in: tx)
        if holds != account.holds { try MemberRules.update(account, in: tx) { $0 = holds } }
    }

    private func holds(after step: ImportExtension, of account: Account, in tx: Transaction) throws -> Holds {
        var holds = account.holds
        switch step.ban {
        case nil: break
        case .begin(let ban):
            holds.ban = try BanRules.beginImported(ban, of: account, change, in: tx)
            holds.graceBan = nil
        case .change(let id, let end):
            holds.ban = try BanRules.changeImported(id, end: end, of: account.user, change, in: tx)
        case .lift(let id):
            try BanRules.liftImported(id, of: account.user, change, in: tx)
            holds.ban = nil
        }
        switch step.withdrawal {
        case nil: break
        case .request(let end):
            holds.withdrawsAt = end
            try change.record(.withdrawalRequested(end: end), of: account.user, in: tx)
        case .cancel:
            holds.withdrawsAt = nil
            try change.record(.withdrawalCancelled, of: account.user, in: tx)
        }
        return holds
    }
}
