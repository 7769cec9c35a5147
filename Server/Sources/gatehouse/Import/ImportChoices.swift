import ArgumentParser
import GatehouseCore
import GatehouseImport
import GatehousePlatform
import GatehouseWire

/// What an operator chooses for an import.
struct ImportChoices: ParsableArguments {
    @Option(
        help: """
            The identity provider of the app for one of the file, as NAME=IDP or NAME=IDP:NAMESPACE, such as oidc.main=studio. Known \
            ones, such as google.com, have theirs. NAME= leaves its identities out. May be given several times.
            """)
    var map: [String] = []
    @Option(
        help: """
            To whose team, app or channel the ids of a provider belong, as IDP=NAMESPACE, such as appleid=TEAM123456. Needed for appleid, \
            facebook, iosgamecenter, line, kakao and naver, because no file says it.
            """)
    var asserts: [String] = []
    @Option(help: "new draws user ids; keep takes those of the file, which must be free.") var userIds =
        ImportOptions.UserIDs.new
    @Option(
        help: """
            What happens if a player came before the file: adopt gives that member the old id, report skips the record.
            """)
    var onHeld = ImportOptions.HeldIdentities.adopt
    @Option(help: "A file with your decisions about conflicts, with LEGACYID,USERID or LEGACYID,skip a line.")
    var resolve: String?
    @Option(help: "How many records one transaction has at most.") var batch = ImportOptions.standardBatch
    @Option(help: "How many records are written a second at most. Default: as many as there can be") var rate: Int?
    @Option(help: "The folder for reports.") var runs = "import-runs"

    func options(file: String) throws -> ImportOptions {
        var options = ImportOptions()
        options.file = Self.absolute(file)
        options.reports = Self.absolute(runs)
        (options.userIDs, options.heldIdentities, options.batch) = (userIds, onHeld, batch)
        options.rate = rate
        for pair in map {
            let (name, target) = try Self.target(of: pair)
            guard options.providers.updateValue(target, forKey: name) == nil else {
                throw ValidationError("The name of \(pair) stands twice.")
            }
        }
        for pair in asserts {
            let (provider, namespace) = try Self.pair(pair, "IDP=NAMESPACE")
            guard options.assertions.updateValue(namespace, forKey: Provider(provider)) == nil else {
                throw ValidationError("The provider of \(pair) stands twice.")
            }
        }
        if let resolve { options.resolutions = try Self.resolutions(resolve) }
        return options
    }

    /// What `NAME=IDP`, `NAME=IDP:NAMESPACE` or `NAME=` says.
    private static func target(of pair: String) throws -> (name: String, ImportOptions.Target) {
        let wrong = ValidationError("\(pair) is not NAME=IDP, NAME=IDP:NAMESPACE or NAME=.")
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { throw wrong }
        guard !parts[1].isEmpty else { return (parts[0], .omitted) }
        let target = parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard !target[0].isEmpty, target.last?.isEmpty == false else { throw wrong }
        return (parts[0], .init(provider: Provider(target[0]), namespace: target.count > 1 ? target[1] : nil))
    }

    private static func pair(_ text: String, _ form: String) throws -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ValidationError("\(text) is not \(form).") }
        return (parts[0], parts[1])
    }

    private static func resolutions(_ path: String) throws -> [String: ImportOptions.Resolution] {
        var resolutions: [String: ImportOptions.Resolution] = [:]
        let text = String(decoding: try OpenFile.reading(path).readToEnd(), as: UTF8.self)
        for (index, line) in text.utf8.split(separator: 0x0a).enumerated() {
            let line = line.last == 0x0d ? line.dropLast() : line
            guard let comma = line.lastIndex(of: 0x2c), comma > line.startIndex else {
                throw ValidationError("Line \(index + 1) of \(path) is not LEGACYID,USERID or LEGACYID,skip.")
            }
            let (id, word) = (
                String(decoding: line[..<comma], as: UTF8.self),
                String(decoding: line[line.index(after: comma)...], as: UTF8.self)
            )
            guard let resolution = ImportOptions.Resolution(rawValue: word), !word.isEmpty,
                resolutions.updateValue(resolution, forKey: id) == nil
            else { throw ValidationError("Line \(index + 1) of \(path) has no decision, or its id stands twice.") }
        }
        return resolutions
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}

extension ImportOptions.UserIDs: ExpressibleByArgument {}
extension ImportOptions.HeldIdentities: ExpressibleByArgument {}
