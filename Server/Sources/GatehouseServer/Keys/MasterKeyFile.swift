import Foundation
import GatehouseStorage
import GatehouseWire

/// The file of a master key, and beside it, while the key is being changed, the one that comes next: `NAME.next`.
///
/// The change writes the next file, then commits the data keys wrapped by its key, then renames it. Before the commit the file
/// counts, and what lies beside it is nobody's key; after the commit the next file counts, and whoever opens the database first
/// renames it. A lock on the next file keeps two changes on one machine apart; on several machines the database decides.
public struct MasterKeyFile: Sendable {
    /// What a change of the key has done so far.
    enum Step: Sendable, CaseIterable {
        case begun, written, committed, renamed
    }

    private let name: String
    /// A secret that is mounted is often a link to the file that counts, and that one is replaced.
    public var path: String { URL(fileURLWithPath: name).resolvingSymlinksInPath().path }
    var nextPath: String { "\(path).next" }

    /// - Parameter path: where the file is, or will be: one that is not there is created with a new key when a database is
    ///   opened in which nothing is sealed yet.
    public init(path: String) {
        name = path
    }

    /// - Throws: ``KeyVaultError/missingFile(path:)``, ``KeyVaultError/cannotOpen(_:)``.
    func vault(of database: Database, random: RandomSource) async throws -> KeyVault {
        try await createIfNew(database, random: random)
        var failure: any Error = KeyVaultError.missingFile(path: path)
        // A change that goes on at this moment renames its file between the two looks: the second round finds it.
        for _ in 0..<2 {
            if access(path, F_OK) == 0 {
                do {
                    return try await KeyVault.open(database, masterKey: MasterKey.read(path), random: random)
                } catch let error as KeyVaultError {
                    guard case .cannotOpen = error else { throw error }
                    failure = error
                }
            }
            if access(nextPath, F_OK) == 0, let key = try? MasterKey.read(nextPath),
                let vault = try? await KeyVault.open(database, masterKey: key, random: random)
            {
                try finish(with: key)
                return vault
            }
        }
        throw failure
    }

    /// A new key beside a database that has secrets would open none of them, and hide that their key is missing. Whoever seals
    /// the first secret has created the file before: so the database is asked first.
    private func createIfNew(_ database: Database, random: RandomSource) async throws {
        let isSealed = try await database.read { tx in try VaultRules.generation(in: tx) } != nil
        if !isSealed { _ = try MasterKey.file(at: path, random: random) }
    }

    /// - Parameter after: called after each step, for tests: what it throws stops the change there.
    func rekey(
        _ database: Database, random: RandomSource, after: @Sendable (Step) async throws -> Void = { _ in }
    ) async throws {
        // Finishes a change that was stopped after its commit.
        _ = try await vault(of: database, random: random)
        guard let next = try NextKeyFile(path: nextPath, creates: true) else { throw KeyVaultError.changedElsewhere }
        defer { next.close() }
        try await after(.begun)
        let envelope: VaultRules.Envelope
        do {
            // Whoever held the lock before may have changed the key: only a file that still opens the database is replaced.
            envelope = try await KeyVault.envelope(of: database, masterKey: MasterKey.read(path), random: random)
        } catch KeyVaultError.cannotOpen {
            throw KeyVaultError.changedElsewhere
        }
        try await EarlierSecrets.reseal(in: database, with: envelope.keys, random: random)
        let key = random.bytes(DataKeys.length)
        try next.write(key, like: path)
        try await after(.written)
        do {
            try await database.write { tx in try VaultRules.rewrap(envelope, with: key, in: tx) }
        } catch KeyVaultError.changedElsewhere {
            unlink(nextPath)
            throw KeyVaultError.changedElsewhere
        }
        try await after(.committed)
        try rename()
        try await after(.renamed)
    }

    /// Renames the next file, whose key is the database's. A change that is going on does it by itself.
    private func finish(with key: [UInt8]) throws {
        guard let next = try NextKeyFile(path: nextPath, creates: false) else { return }
        defer { next.close() }
        guard (try? MasterKey.read(nextPath)) == key else { return }
        try rename()
    }

    private func rename() throws {
        guard Foundation.rename(nextPath, path) == 0 else {
            throw KeyVaultError.unsafeFile(
                path: path, reason: "could not be replaced: the master key is now the one of \(nextPath)")
        }
        try MasterKey.makeDurable(folderOf: path)
    }
}

/// The next file, open and locked: the lock ends with the descriptor, also when the process is killed.
private struct NextKeyFile {
    private let descriptor: Int32
    private let path: String

    /// Nil when another process has it, has just renamed it, or when there is none.
    init?(path: String, creates: Bool) throws {
        self.path = path
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | (creates ? O_CREAT : 0), 0o600)
        guard descriptor >= 0 else {
            if !creates && errno == ENOENT { return nil }
            throw KeyVaultError.unsafeFile(path: path, reason: "can't be created")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isNamed else {
            close()
            return nil
        }
    }

    /// Whether the file that is locked still has its name: another process may have renamed it before it let go of the lock.
    private var isNamed: Bool {
        #if os(Linux)
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == path
        #else
        var name = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard fcntl(descriptor, F_GETPATH, &name) == 0 else { return false }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
        #endif
    }

    /// Writes a key for whoever may read the present file, and returns when it is on the disk under its name.
    func write(_ key: [UInt8], like present: String) throws {
        let line = Array("\(Base64URL.encode(key))\n".utf8)
        let attributes = try FileManager.default.attributesOfItem(atPath: present)
        guard let rights = attributes[.posixPermissions] as? Int, let owner = attributes[.ownerAccountID] as? Int,
            let group = attributes[.groupOwnerAccountID] as? Int, ftruncate(descriptor, 0) == 0,
            fchmod(descriptor, mode_t(truncatingIfNeeded: rights & 0o700)) == 0,
            // A server reads its key as another user than the operator who changes it.
            owner == Int(geteuid())
                || fchown(descriptor, uid_t(truncatingIfNeeded: owner), gid_t(truncatingIfNeeded: group)) == 0,
            pwrite(descriptor, line, line.count, 0) == line.count, fsync(descriptor) == 0
        else { throw KeyVaultError.unsafeFile(path: path, reason: "can't be written for the owner of \(present)") }
        try MasterKey.makeDurable(folderOf: path)
    }

    func close() { _ = Foundation.close(descriptor) }
}
