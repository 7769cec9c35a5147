import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

@testable import GatehouseCore

extension TestServer {
    /// An import of a file of Firebase's that has ended.
    static func importRun(
        _ id: String, at moment: Moment, _ count: (inout ImportCounts) -> Void = { _ in }
    ) throws -> ImportRun {
        var run = ImportRun(
            id: id, source: "firebase", fileDigest: [1, 2, 3], begunBy: "operator", begunAt: moment)
        var (counts, options) = (ImportCounts(), ImportOptions())
        count(&counts)
        options.file = "/home/kim/firebase.jsonl"
        options.reports = "/home/kim/import-runs"
        (run.counts, run.options) = (try JSONText.sorted(counts), try JSONText.sorted(options))
        (run.state, run.endedAt, run.records) = (.done, moment.adding(seconds: 90), counts.read)
        return run
    }

    /// The same of a file of 50,000 records, which goes on: since it has begun, 10 seconds have passed until its last batch.
    static func importRunGoingOn(_ id: String, at moment: Moment) throws -> ImportRun {
        var run = try importRun(id, at: moment) { counts in
            counts.created = 9_990
            counts.skipped = ["heldByTwo": 7]
            counts.rejected = ["badDate": 3]
            counts.notes = ["leftOut": 2, "fromTheFuture": 1]
            counts.identities = ["google": 8_000]
        }
        (run.state, run.endedAt, run.records) = (.begun, nil, 50_000)
        run.leasedUntil = moment.adding(seconds: 10 + ImportRules.leaseSeconds)
        return run
    }

    /// Stores an import as the command does.
    func insert(_ run: ImportRun, in app: AppID = TestServer.app) async throws {
        try await database.transact { tx in try ImportRunQueries.insert(run, app: app, in: tx) }
    }

    /// Makes a member one that an import has brought, as the import would.
    func bring(_ user: UserID, as legacyID: String, by run: String?, claimedAt: Moment? = nil) async throws {
        var member = LegacyMember(
            source: "firebase", legacyID: legacyID, user: user, run: run, importedAt: clock.now)
        if let claimedAt { (member.claimedAt, member.claimedKey) = (claimedAt, KeyThumbprint("key")) }
        try await database.transact { [member] tx in try LegacyQueries.insert(member, app: TestServer.app, in: tx) }
    }
}
