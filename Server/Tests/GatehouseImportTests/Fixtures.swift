import Crypto
import Foundation
import GatehouseImport
import GatehousePlatform

/// The files of other systems in `Fixtures/input`, and what is converted of them.
enum Fixtures {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

    static func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appendingPathComponent("input/\(name)")))
    }

    /// A file on the disk.
    static func input(_ name: String) -> ImportInput {
        let path = folder.appendingPathComponent("input/\(name)").path
        return ImportInput(name: name) {
            guard let file = OpenFile(reading: path) else { throw CocoaError(.fileNoSuchFile) }
            return ImportInput.Stream(file)
        }
    }

    /// A file in memory.
    ///
    /// - Parameter isPipe: whether its places can't be looked up.
    /// - Parameter piece: how many bytes are read at once at most.
    static func input(
        _ bytes: [UInt8], _ name: String = "file", isPipe: Bool = false, piece: Int = .max
    ) -> ImportInput {
        ImportInput(name: name) {
            var rest = bytes[...]
            return ImportInput.Stream(
                read: { limit in
                    let part = rest.prefix(min(limit, piece))
                    rest = rest.dropFirst(part.count)
                    return Array(part)
                },
                readAt: isPipe ? nil : { Array(bytes.dropFirst(Int($0)).prefix($1)) })
        }
    }

    static func input(text: String, _ name: String = "file") -> ImportInput { input(Array(text.utf8), name) }

    /// The SHA-256 of a text in hexadecimal digits.
    static func digest(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    /// What a conversion has written and told.
    struct Converted {
        var bytes: [UInt8] = []
        var incidents: [ConversionIncident] = []
        var report = ConversionReport()

        var text: String { String(decoding: bytes, as: UTF8.self) }
        /// The records, read as an import reads them.
        func members() throws -> [ImportedMember] {
            var reader = try NeutralFileReader(input(bytes))
            var members: [ImportedMember] = []
            while let record = try reader.next() { members.append(try record.member.get()) }
            return members
        }
    }

    /// Collects what comes in pieces.
    final class Collected<Element> {
        var elements: [Element] = []
    }

    static func convert(
        _ kind: ImportKind, _ inputs: [ImportInput], _ set: (inout ConversionOptions) -> Void = { _ in }
    ) throws -> Converted {
        var options = ConversionOptions()
        if kind == .gamebase {
            options.columns = [
                "userId": "User ID", "registrationDate": "Registered", "lastLoginDate": "Last login", "valid": "4",
                "idPCode": "IdP code", "idPId": "IdP ID",
            ]
            options.zoneMinutes = 540
        }
        set(&options)
        let (bytes, incidents) = (Collected<UInt8>(), Collected<ConversionIncident>())
        var conversion = try Conversion(kind, options: options) { incidents.elements.append($0) }
        let header = NeutralHeader(source: "old", sourceKind: kind.rawValue, takenDate: options.takenDate)
        let report = try conversion.run(inputs, header: header) { bytes.elements += $0 }
        return Converted(bytes: bytes.elements, incidents: incidents.elements, report: report)
    }
}
