/// The classes of bytes that names, versions and numbers from outside consist of. Letters and digits of other scripts belong to none.
package enum ASCII {
    package static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    package static func isUppercase(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
    package static func isLowercase(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) }
    package static func isLetter(_ byte: UInt8) -> Bool { isUppercase(byte) || isLowercase(byte) }
    package static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// Whether all bytes are ASCII. Eight are looked at in one step, because each header of each request is.
    package static func isAll(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let all = UnsafeRawBufferPointer(bytes)
        let words = all.count & ~7
        var marks: UInt64 = 0
        for offset in stride(from: 0, to: words, by: 8) {
            marks |= all.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        for byte in all[words...] { marks |= UInt64(byte) }
        return marks & 0x8080_8080_8080_8080 == 0
    }

    package static func isAll(_ text: some StringProtocol) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(isAll) ?? text.utf8.allSatisfy { $0 < 0x80 }
    }
}
