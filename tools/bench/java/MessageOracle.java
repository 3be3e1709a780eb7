import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * Says what Kafka's own message classes make of bytes and values, over a pipe.
 *
 * <p>A question on standard input is a frame: int32 size, one letter, the name of a message as in
 * its schema (int16 length, UTF-8), int16 version, and for all but V a payload. The answer is a
 * frame: int32 size, one byte, and the result, or, if that byte is 1, the exception as text.
 *
 * <ul>
 *   <li>V, which versions are known: int16 first, int16 last; nothing if there is no such message.
 *   <li>D, decode bytes: int32 size of a JSON text, that text, and the bytes encoded again.
 *   <li>E, encode a value given as JSON text: the bytes.
 *   <li>T, time it: the payload is an int32 count of rounds, then bytes; int64 nanoseconds that
 *       decoding them took in all rounds, int64 those of encoding what came out.
 * </ul>
 *
 * JSON is that of the converters that Kafka generates beside each message; records are left out of
 * it, only their size is said. The program ends when its input does.
 */
public final class MessageOracle {
    private static final int ANSWERED = 0;
    private static final int REFUSED = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A message class and its JSON converter, found by name. */
    private record Known(Class<? extends Message> message, Method fromJson, Method toJson) {
        static Known find(String name) throws ReflectiveOperationException {
            String data = "org.apache.kafka.common.message." + name + "Data";
            Class<? extends Message> message = Class.forName(data).asSubclass(Message.class);
            Class<?> converter = Class.forName(data + "JsonConverter");
            return new Known(
                message,
                converter.getMethod("read", JsonNode.class, short.class),
                converter.getMethod("write", message, short.class, boolean.class));
        }

        Message create() throws ReflectiveOperationException {
            return message.getConstructor().newInstance();
        }
    }

    private final Map<String, Known> known = new HashMap<>();

    /** Keeps results of timed work alive, so that no compiler can leave the work out. */
    private volatile Object lastResult;

    private Known find(String name) throws ReflectiveOperationException {
        Known found = known.get(name);
        if (found == null) {
            found = Known.find(name);
            known.put(name, found);
        }
        return found;
    }

    public static void main(String[] arguments) throws IOException {
        // The pipe is ours alone: whatever logs goes to standard error.
        var output = new DataOutputStream(
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));
        System.setOut(System.err);
        new MessageOracle().serve(
            new DataInputStream(new BufferedInputStream(System.in, 1 << 16)), output);
    }

    private void serve(DataInputStream input, DataOutputStream output) throws IOException {
        while (true) {
            byte[] question;
            try {
                question = new byte[input.readInt()];
            } catch (EOFException end) {
                return;
            }
            input.readFully(question);
            int status = ANSWERED;
            byte[] result;
            try {
                result = answer(ByteBuffer.wrap(question));
            } catch (InvocationTargetException refusal) {
                status = REFUSED;
                result = utf8(refusal.getCause().toString());
            } catch (Exception refusal) {
                status = REFUSED;
                result = utf8(refusal.toString());
            }
            output.writeInt(1 + result.length);
            output.writeByte(status);
            output.write(result);
            output.flush();
        }
    }

    private byte[] answer(ByteBuffer question) throws Exception {
        char operation = (char) question.get();
        String name = text(take(question, question.getShort()));
        short version = question.getShort();
        return switch (operation) {
            case 'V' -> versions(name);
            case 'D' -> decode(find(name), version, question);
            case 'E' -> encode(find(name), version, take(question, question.remaining()));
            case 'T' -> time(find(name), version, question.getInt(), question.slice());
            default -> throw new IllegalArgumentException("no operation " + operation);
        };
    }

    private byte[] versions(String name) throws ReflectiveOperationException {
        Message message;
        try {
            message = find(name).create();
        } catch (ClassNotFoundException none) {
            return new byte[0];
        }
        return ByteBuffer.allocate(4)
            .putShort(message.lowestSupportedVersion())
            .putShort(message.highestSupportedVersion())
            .array();
    }

    private byte[] decode(Known known, short version, ByteBuffer data) throws Exception {
        Message message = read(known, version, data);
        if (data.hasRemaining()) {
            throw new IllegalArgumentException(data.remaining() + " bytes follow the message");
        }
        boolean withRecords = false;
        byte[] json = JSON.writeValueAsBytes(
            known.toJson().invoke(null, message, version, withRecords));
        var result = new ByteArrayOutputStream();
        result.writeBytes(ByteBuffer.allocate(4).putInt(json.length).array());
        result.writeBytes(json);
        result.writeBytes(write(message, version).array());
        return result.toByteArray();
    }

    private byte[] encode(Known known, short version, byte[] json) throws Exception {
        Message message = (Message) known.fromJson().invoke(null, JSON.readTree(json), version);
        return write(message, version).array();
    }

    private byte[] time(Known known, short version, int rounds, ByteBuffer data) throws Exception {
        Message message = read(known, version, data.duplicate());
        long start = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            lastResult = read(known, version, data.duplicate());
        }
        long decoded = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            lastResult = write(message, version);
        }
        long encoded = System.nanoTime();
        return ByteBuffer.allocate(16)
            .putLong(decoded - start)
            .putLong(encoded - decoded)
            .array();
    }

    private static Message read(Known known, short version, ByteBuffer data)
            throws ReflectiveOperationException {
        Message message = known.create();
        message.read(new ByteBufferAccessor(data), version);
        return message;
    }

    /** Encodes as Kafka's network layer does: once for the size, then into a buffer of that size. */
    private static ByteBuffer write(Message message, short version) {
        var cache = new ObjectSerializationCache();
        var buffer = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(buffer), cache, version);
        if (buffer.hasRemaining()) {
            throw new IllegalStateException("the size was " + buffer.remaining() + " too much");
        }
        return buffer;
    }

    private static byte[] take(ByteBuffer buffer, int size) {
        byte[] bytes = new byte[size];
        buffer.get(bytes);
        return bytes;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
