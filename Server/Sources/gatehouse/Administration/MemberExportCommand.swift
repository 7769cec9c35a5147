import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

struct MemberExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print everything that is stored about a member, as JSON, for the person who asks for it.",
        discussion: """
            Credentials, and the names of operators, are left out; the part leftOut says what and why. Before you send it to \
            somebody, make sure that the member is theirs.
            """)

    @OptionGroup var member: MemberArguments
    @Option(help: "A file that is not there yet, for its owner alone. Default: standard output") var output: String?

    func run() async throws {
        let export = try await member.run(ExportMember(user: member.id))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = try encoder.encode(Self.document(export))
        guard let output else { return Terminal.say(.init(lines: String(decoding: document, as: UTF8.self))) }
        let descriptor = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SettingError("The file \(output) can't be written: \(String(cString: strerror(errno))).")
        }
        try OpenFile(descriptor: descriptor).write(document + Data("\n".utf8))
        Terminal.say("\(output) holds everything that is stored about \(member.user)")
    }

    private static func document(_ export: MemberExport) -> JSONValue {
        .object([
            "userId": .string(export.user.rawValue), "app": .string(export.app.rawValue),
            "exportedAt": .string(Words.time(export.exportedAt)),
            "stored": .object(
                export.tables.mapValues { rows in
                    .array(rows.map { .object($0.reduce(into: [:]) { $0[$1.key] = readable($1.value, $1.key) }) })
                }),
            "toldByProviders": .object(export.profiles),
            "leftOut": .object(export.leftOut.mapValues { .string($0) }),
        ])
    }

    /// Writes times as people do.
    private static func readable(_ value: JSONValue, _ column: String) -> JSONValue {
        guard case .integer(let number) = value else { return value }
        return switch ExportedNumber(number, in: column) {
        case .day(let day): .string(String(Words.time(day.milliseconds).prefix(10)))
        case .moment(let moment): .string(Words.time(moment.milliseconds))
        case .other: value
        }
    }
}
