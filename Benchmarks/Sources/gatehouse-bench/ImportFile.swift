import Crypto
import Foundation

/// A neutral file of players of another system (docs/members.schema.json). Each has one identity, but every tenth is a guest with a
/// device, and one of a hundred is banned. Their ids are in no order, which is the hardest for an index.
enum ImportFile {
    static let (source, kind, project) = ("old", "firebase", "bench")
    private static let bufferBytes = 1 << 20
    private static let day = 86_400_000

    /// Writes the file, which is the same each time but for its dates. Returns how many identities it has.
    static func write(_ members: Int, to path: String) throws -> Int {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let now = Int(Date().timeIntervalSince1970) * 1_000
        var hash = SHA256()
        var buffer = Data()
        func flush() throws {
            hash.update(data: buffer)
            try file.write(contentsOf: buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        func add(_ line: String) throws {
            buffer += Data("\(line)\n".utf8)
            if buffer.count >= bufferBytes { try flush() }
        }
        try add(
            #"{"format":"gatehouse.members/1","source":"\#(source)","sourceKind":"\#(kind)","takenDate":\#(now),"#
                + #""from":{"project":"\#(project)"}}"#)
        var (identities, devices, bans) = (0, 0, 0)
        for number in 0..<members {
            if isGuest(number) { devices += 1 } else { identities += 1 }
            if isBanned(number) { bans += 1 }
            try add(line(number, at: now))
        }
        try flush()
        let digest = hex(hash.finalize())
        try add(
            #"{"end":true,"members":\#(members),"identities":\#(identities),"devices":\#(devices),"bans":\#(bans),"#
                + #""sha256":"\#(digest)"}"#)
        try file.write(contentsOf: buffer)
        return identities
    }

    private static func isGuest(_ number: Int) -> Bool { number % 10 == 0 }
    private static func isBanned(_ number: Int) -> Bool { number % 100 == 1 }

    private static func line(_ number: Int, at now: Int) -> String {
        let random = Array(SHA256.hash(data: Data("member \(number)".utf8)))
        let registered = now - day * (1 + number % 1_000)
        let begin =
            #"{"legacyId":"\#(hex(random.prefix(14)))","registrationDate":\#(registered),"lastLoginDate":\#(now - day),"#
        let rest = random.dropFirst(14)
        let way: String
        if isGuest(number) {
            way = #""status":"guest","devices":[{"kind":"deviceId","value":"\#(hex(rest.prefix(16)))"}]"#
        } else {
            let digits = String(rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            let subject = "1" + String(repeating: "0", count: 20 - digits.count) + digits
            way =
                #""status":"active","identities":[{"provider":"google.com","subject":"\#(subject)","#
                + #""registrationDate":\#(registered)}]"#
        }
        let ban = #","bans":[{"type":"PERMANENT","beginDate":\#(now - day),"reason":"cheating"}]"#
        return "\(begin)\(way)\(isBanned(number) ? ban : "")}"
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
