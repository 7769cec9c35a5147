import Synchronization

/// The files that an export has written so far.
final class ExportedFiles: Sendable {
    private let files = Mutex<[ExportManifest.File]>([])

    var all: [ExportManifest.File] { files.withLock { $0 } }

    func removeAll() { files.withLock { $0 = [] } }

    func add(_ file: ExportManifest.File) {
        files.withLock { $0.append(file) }
        Terminal.complain("\(file.name)\t\(file.records) records")
    }
}
