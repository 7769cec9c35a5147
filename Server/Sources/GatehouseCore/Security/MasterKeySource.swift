import GatehousePlatform
public import GatehouseSecurity
public import GatehouseStorage
import GatehouseWire

/// The source of a server's master key.
public enum MasterKeySource: Sendable {
    /// The environment, or another source outside of the server.
    case given([UInt8])
    case file(MasterKeyFile)

    /// The vault of a database.
    ///
    /// - Throws: ``KeyVaultError/cannotOpen(_:)`` when the master key is not the database's.
    public func vault(of database: Database, random: RandomSource) async throws -> KeyVault {
        switch self {
        case .given(let key): try await KeyVault.open(database, masterKey: key, random: random)
        case .file(let file): try await file.vault(of: database, random: random)
        }
    }

    /// Changes the master key of a database, and the key file if there is one. Running servers are not affected, because they hold the
    /// data keys. Afterwards the old master key opens nothing.
    ///
    /// - Parameter newKey: the new key, if the key is not in a file; a file gets a random one.
    /// - Throws: ``KeyVaultError/changedElsewhere`` when another process has done the same in the meantime, and
    ///   ``KeyVaultError/sameKey``.
    public func rekey(
        _ database: Database, to newKey: [UInt8]?, random: RandomSource, audit: AuditLog
    ) async throws {
        switch self {
        case .given(let key):
            let newKey = newKey ?? random.bytes(DataKeys.length)
            try await Self.rekey(database, from: key, to: newKey, random: random)
        case .file(let file):
            try await file.rekey(database, random: random)
        }
        audit.record(
            .init(
                event: "master-key.changed", app: nil, actor: .operator, address: nil, transactionID: nil, subject: [:])
        )
    }

    private static func rekey(
        _ database: Database, from key: [UInt8], to newKey: [UInt8], random: RandomSource
    ) async throws {
        guard key != newKey else { throw KeyVaultError.sameKey }
        let envelope: VaultRules.Envelope
        do {
            envelope = try await KeyVault.envelope(of: database, masterKey: key, random: random)
        } catch let refused as KeyVaultError {
            // An earlier attempt succeeded but its response was lost.
            let isDone = try await database.read { tx in
                (try? VaultRules.envelope(masterKey: newKey, in: tx)) != nil
            }
            guard isDone else { throw refused }
            return
        }
        try await EarlierSecrets.reseal(in: database, with: envelope.keys, random: random)
        try await database.transact { tx in try VaultRules.rewrap(envelope, with: newKey, in: tx) }
    }
}

/// The file of a master key, and beside it, during a change, the file with the next key: `NAME.next`.
///
/// A change writes the next file, then commits the data keys wrapped with its key, then renames it. Before the commit the current file
/// is valid, and the next file's key is unused. After the commit the next file is valid, and the first process that opens the database
/// renames it. A lock on the next file prevents concurrent changes on one machine; for several machines the database decides.
public struct MasterKeyFile: Sendable {
    /// The steps of a change.
    enum Step: Sendable, CaseIterable {
        case begun, written, committed, renamed
    }

    private let name: String
    /// A mounted secret is often a symbolic link to the actual file, which is the one to replace.
    public var path: String { URL(fileURLWithPath: name).resolvingSymlinksInPath().path }
    var nextPath: String { "\(path).next" }

    /// - Parameter path: where the file is, or will be. If it does not exist, it is created with a new key when a database without
    ///   encrypted values is opened.
    public init(path: String) {
        name = path
    }

    /// - Throws: ``KeyVaultError/missingFile(path:)``, ``KeyVaultError/cannotOpen(_:)``.
    func vault(of database: Database, random: RandomSource) async throws -> KeyVault {
        try await createIfNew(database, random: random)
        var failure: any Error = KeyVaultError.missingFile(path: path)
        // A concurrent change may rename its file between the two checks. The second round finds it.
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

    /// A new key beside a database with secrets would open none of them, and would hide that their key is missing. The file is created
    /// before the first secret is encrypted, so the database is checked first.
    private func createIfNew(_ database: Database, random: RandomSource) async throws {
        let isSealed = try await database.read { tx in try VaultRules.generation(in: tx) } != nil
        if !isSealed { _ = try MasterKey.file(at: path, random: random) }
    }

    /// - Parameter after: called after each step, for tests. If it throws, the change stops there.
    func rekey(
        _ database: Database, random: RandomSource, after: @Sendable (Step) async throws -> Void = { _ in }
    ) async throws {
        // Completes a change that was interrupted after its commit.
        _ = try await vault(of: database, random: random)
        guard let next = try NextKeyFile(path: nextPath, creates: true) else { throw KeyVaultError.changedElsewhere }
        defer { next.close() }
        try await after(.begun)
        let envelope: VaultRules.Envelope
        do {
            // The previous holder of the lock may have changed the key. Only a file that still opens the database is replaced.
            envelope = try await KeyVault.envelope(of: database, masterKey: MasterKey.read(path), random: random)
        } catch KeyVaultError.cannotOpen {
            throw KeyVaultError.changedElsewhere
        }
        try await EarlierSecrets.reseal(in: database, with: envelope.keys, random: random)
        let key = random.bytes(DataKeys.length)
        try next.write(key, like: path)
        try await after(.written)
        do {
            try await database.transact { tx in try VaultRules.rewrap(envelope, with: key, in: tx) }
        } catch KeyVaultError.changedElsewhere {
            unlink(nextPath)
            throw KeyVaultError.changedElsewhere
        }
        try await after(.committed)
        try rename()
        try await after(.renamed)
    }

    /// Renames the next file if its key is the database's. A change that is in progress does this itself.
    private func finish(with key: [UInt8]) throws {
        guard let next = try NextKeyFile(path: nextPath, creates: false) else { return }
        defer { next.close() }
        guard (try? MasterKey.read(nextPath)) == key else { return }
        try rename()
    }

    private func rename() throws {
        guard GatehousePlatform.rename(nextPath, path) == 0 else {
            throw KeyVaultError.unsafeFile(
                path: path, reason: "could not be replaced: the master key is now the one of \(nextPath)")
        }
        try MasterKey.makeDurable(folderOf: path)
    }
}

/// The next file, open and locked. The lock ends with the descriptor, even when the process is killed.
private struct NextKeyFile {
    private let descriptor: Int32
    private let path: String

    /// Nil when another process has locked it or has just renamed it, or when it does not exist.
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

    /// Whether the locked file still has its name: another process may have renamed it before releasing the lock.
    private var isNamed: Bool {
        #if os(Linux)
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == path
        #else
        var name = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard fcntl(descriptor, F_GETPATH, &name) == 0 else { return false }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
        #endif
    }

    /// Writes a key with the owner and permissions of the current file, and returns when it is on the disk under its name.
    func write(_ key: [UInt8], like present: String) throws {
        let line = Array("\(Base64URL.encode(key))\n".utf8)
        var status = stat()
        guard stat(present, &status) == 0, ftruncate(descriptor, 0) == 0,
            fchmod(descriptor, status.st_mode & 0o700) == 0,
            // The server may run as a different user than the operator who changes the key.
            status.st_uid == geteuid() || fchown(descriptor, status.st_uid, status.st_gid) == 0,
            pwrite(descriptor, line, line.count, 0) == line.count, fsync(descriptor) == 0
        else { throw KeyVaultError.unsafeFile(path: path, reason: "can't be written for the owner of \(present)") }
        try MasterKey.makeDurable(folderOf: path)
    }

    func close() { _ = GatehousePlatform.close(descriptor) }
}
